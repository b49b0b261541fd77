// Layers computed in stripes for want of memory: the same results as layer by layer, bit for bit.
#include <gtest/gtest.h>

#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

using Dims = GraphBench::Dims;

// A random network of images [1,height,width,channels]: convolutions, depthwise ones, pools, sums, activations.
class PatchNetwork {
 public:
  PatchNetwork(unsigned seed, DType type, Requant requant)
      : bench(seed, requant), type_(type), zero_(type == DType::i16 ? 0 : -3) {
    dims_ = {1, bench.pick(6, 20), bench.pick(1, 9), bench.pick(1, 9)};
    value_ = tensor(dims_, false);
    set(value_);
    for (std::int64_t n = bench.pick(3, 8); n > 0; --n) add();
    bench.finish(value_);
  }

  GraphBench bench;

 private:
  ir::ValueId tensor(const Dims& dims, bool is_constant) {
    return type_ == DType::f32 ? bench.numbers(type_, dims, is_constant, false)
                               : bench.integers(type_, dims, is_constant);
  }
  void set(ir::ValueId v) {
    if (type_ != DType::f32) bench.quantise(v, {scale_}, {zero_});
  }
  ir::ValueId node(const std::string& op, std::vector<ir::ValueId> inputs, const Dims& dims,
                   GraphBench::Attributes attributes = {}) {
    const ir::ValueId v = bench.inner(op, std::move(inputs), type_, dims, std::move(attributes));
    set(v);
    return v;
  }

  void add() {
    switch (bench.pick(0, 5)) {
      case 0: return activation();
      case 1: return residual();
      case 2: return window("MaxPool");
      case 3: return window("AveragePool");
      default: return window("Conv");
    }
  }
  void activation() { value_ = node("Relu", {value_}, dims_); }
  // Two ways from here to a sum.
  void residual() {
    const ir::ValueId from = value_;
    const Dims dims = dims_;
    same_ = true;
    window("Conv");
    if (bench.pick(0, 1)) window("Conv");
    same_ = false;
    if (dims_ == dims) value_ = node("Add", {value_, from}, dims_);
  }

  void window(const std::string& op) {
    const bool conv = op == "Conv", depthwise = conv && bench.pick(0, 1);
    Dims kernel, strides, dilations, pads(4), out = dims_;
    for (std::size_t i = 0; i < 2; ++i) {
      kernel.push_back(same_ ? 2 * bench.pick(0, 1) + 1 : bench.pick(1, 4));
      strides.push_back(same_ ? 1 : bench.pick(1, 2));
      dilations.push_back(same_ || !conv ? 1 : bench.pick(1, 2));
      const std::int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
      pads[i] = same_ ? reach / 2 : bench.pick(0, std::min<std::int64_t>(reach - 1, kernel[i] - 1));
      pads[i + 2] = same_ ? reach / 2 : bench.pick(0, std::min<std::int64_t>(reach - 1, kernel[i] - 1));
      const std::int64_t free = dims_[i + 1] + pads[i] + pads[i + 2] - reach;
      if (free < 0) return;
      out[i + 1] = free / strides[i] + 1;
    }
    GraphBench::Attributes attributes{
        {"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}, {"data_layout", std::string("NHWC")}};
    std::vector<ir::ValueId> operands{value_};
    if (conv) {
      attributes["dilations"] = dilations;
      const std::int64_t in = dims_[3];
      if (!same_ && !depthwise) out[3] = bench.pick(1, 9);
      attributes["group"] = depthwise ? in : std::int64_t{1};
      attributes["filter_layout"] = std::string("OHWI");
      const Dims weights{out[3], kernel[0], kernel[1], depthwise ? 1 : in};
      operands.push_back(type_ == DType::i16 ? bench.integers(DType::i8, weights, true) : tensor(weights, true));
      if (type_ != DType::f32) bench.quantise(operands[1], {0.01F}, {0});
    }
    value_ = node(op, operands, out, attributes);
    dims_ = out;
  }

  const DType type_;
  const std::int64_t zero_;
  const float scale_ = 0.5F;
  Dims dims_;
  ir::ValueId value_ = 0;
  bool same_ = false;  // windows that keep the image's size
};

// How many of the networks were computed in fewer steps than without a bound.
int patched(const Machine& machine, DType type, Requant requant, unsigned count) {
  int out = 0;
  for (unsigned seed = 0; seed < count; ++seed) {
    const PatchNetwork network(seed, type, requant);
    RunOptions bounded;
    bounded.memory_budget = seed % 2 ? 1 : 1 + 100 * (seed % 7);
    const std::string difference = network.bench.check_same(machine, bounded, out);
    EXPECT_EQ(difference, "") << "seed " << seed;
    if (!difference.empty()) return out;
  }
  return out;
}

// Layers over their inputs wherever they say that they may be, patched or not.
void in_place(const Machine& machine, DType type, Requant requant, unsigned count) {
  int patched = 0, leads = 0;
  for (unsigned seed = 100; seed < 100 + count; ++seed) {
    const PatchNetwork network(seed, type, requant);
    RunOptions options;
    options.use_overlays = true;
    options.memory_budget = seed % 3 == 0 ? 1 : 0;
    ASSERT_EQ(network.bench.check_same(machine, options, patched, &leads), "") << "seed " << seed;
  }
  EXPECT_GT(leads, 0);
}

TEST(Patches, layersOverTheirInputs) {
  for (const DType type : {DType::i8, DType::i16, DType::f32}) {
    const Requant requant = type == DType::f32 ? Requant::onnx : Requant::tflite;
    in_place(host_machine(), type, requant, 3);
    in_place(cortex_m4f(true), type, requant, 2);
    in_place(cortex_m55(true), type, requant, 2);
  }
}

TEST(Patches, giveTheSameResultsOnTheHost) {
  EXPECT_GT(patched(host_machine(), DType::i8, Requant::tflite, 8), 3);
  EXPECT_GT(patched(host_machine(), DType::i8, Requant::onnx, 4), 1);
  EXPECT_GT(patched(host_machine(), DType::f32, Requant::onnx, 6), 2);
}

TEST(Patches, giveTheSameResultsOnCortexM) {
  EXPECT_GT(patched(cortex_m4f(), DType::i8, Requant::tflite, 3), 0);
  EXPECT_GT(patched(cortex_m4f(), DType::f32, Requant::onnx, 3), 0);
  EXPECT_GT(patched(cortex_m55(), DType::i8, Requant::tflite, 3), 0);
  EXPECT_GT(patched(cortex_m55(), DType::f32, Requant::onnx, 3), 0);
}

}  // namespace
}  // namespace byoc::test
