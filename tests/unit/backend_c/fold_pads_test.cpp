// Pads in front of convolutions, random ones: the same results, folded or not, and folded just where the Conv's own
// padding means the same.
#include <gtest/gtest.h>

#include "sdk/codegen/optimise/optimise.hpp"
#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

using Dims = GraphBench::Dims;

// Random chains x -> Pad -> Conv in one graph.
class Chains {
 public:
  explicit Chains(unsigned seed, Requant requant) : bench(seed, requant) { bench.tolerance = {64.0, 4e-6}; }

  // Whether the Pad can be folded is counted.
  void add() {
    const bool quantised = bench.pick(0, 1), last = bench.pick(0, 1), depthwise = bench.pick(0, 2) == 0;
    const DType type = quantised ? DType::i8 : DType::f32;
    const bool plain = bench.pick(0, 1);
    const Dims kernel = pair(plain ? 2 : 1, 4), strides = pair(1, 3), dilations = pair(1, 2), size = pair(2, 7);
    Dims own, more;
    for (int i = 0; i < 4; ++i) {
      own.push_back(bench.pick(0, 1));
      more.push_back(!plain && bench.pick(0, 5) == 0 ? -1 : bench.pick(0, plain ? 1 : 2));
    }
    const std::int64_t in = bench.pick(1, 5), out = depthwise ? in : bench.pick(1, 5);
    const std::int64_t channel_pad = !plain && !depthwise && bench.pick(0, 3) == 0 ? 1 : 0;
    const std::int64_t fill =
        plain ? 2 * bench.pick(0, 1) : bench.pick(0, 2);  // 0: not given; 1: another number; else zero
    Dims padded, result;
    bool fits = fill != 1 && channel_pad == 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t reach = (kernel[i] - 1) * dilations[i];
      padded.push_back(size[i] + more[i] + more[i + 2]);
      const std::int64_t free = padded[i] + own[i] + own[i + 2] - reach - 1;
      if (padded[i] < 1 || free < 0) return;
      result.push_back(free / strides[i] + 1);
      for (const std::size_t side : {i, i + 2}) fits = fits && more[side] >= 0 && own[side] + more[side] <= reach;
    }
    can_fold += fits ? 1 : 0;

    const std::int64_t zero = quantised ? bench.zero_point(type) : 0;
    const auto image = [&](std::int64_t channels, const Dims& d) {
      return last ? Dims{1, d[0], d[1], channels} : Dims{1, channels, d[0], d[1]};
    };
    const auto tensor = [&](const Dims& dims, bool is_constant) {
      return quantised ? bench.integers(type, dims, is_constant) : bench.numbers(type, dims, is_constant, false);
    };
    const auto set = [&](ir::ValueId v, float scale, std::int64_t at) {
      if (quantised) bench.quantise(v, {scale}, {at});
    };
    const ir::ValueId x = tensor(image(in, size), false);
    set(x, 0.5F, zero);
    const Dims pads = last ? Dims{0, more[0], more[1], channel_pad, 0, more[2], more[3], 0}
                           : Dims{0, channel_pad, more[0], more[1], 0, 0, more[2], more[3]};
    std::vector<ir::ValueId> operands{x, bench.integers(DType::i64, {8}, pads, true)};
    if (fill != 0) {
      const std::int64_t value = fill == 1 ? (zero == 3 ? 4 : 3) : zero;
      operands.push_back(quantised ? bench.scalar(type, value) : bench.scalar(static_cast<float>(value)));
    }
    const ir::ValueId pad = bench.inner("Pad", operands, type, image(in + channel_pad, padded));
    set(pad, 0.5F, zero);
    const std::int64_t of_group = depthwise ? 1 : in + channel_pad;
    const ir::ValueId w =
        tensor(last ? Dims{out, kernel[0], kernel[1], of_group} : Dims{out, of_group, kernel[0], kernel[1]}, true);
    set(w, 0.25F, 0);
    const ir::ValueId y = bench.node("Conv", {pad, w}, type, image(out, result),
                                     {{"kernel_shape", kernel},
                                      {"strides", strides},
                                      {"dilations", dilations},
                                      {"pads", own},
                                      {"group", depthwise ? in : std::int64_t{1}},
                                      {"data_layout", std::string(last ? "NHWC" : "NCHW")},
                                      {"filter_layout", std::string(last ? "OHWI" : "OIHW")}});
    set(y, 60.0F, -5);
  }

  GraphBench bench;
  std::size_t can_fold = 0;

 private:
  Dims pair(std::int64_t low, std::int64_t high) { return {bench.pick(low, high), bench.pick(low, high)}; }
};

TEST(FoldPads, meansTheSameAndLeavesTheOthers) {
  for (const Requant requant : {Requant::tflite, Requant::onnx}) {
    Chains chains(requant == Requant::tflite ? 21 : 22, requant);
    for (int i = 0; i < 60; ++i) chains.add();
    for (const Machine& machine : {host_machine(), cortex_m4f(), cortex_m55()}) {
      Diagnostics diags;
      const auto backend = c::create_backend();
      codegen::Codegen* const codegens[] = {backend.get()};
      const auto placed = make_partition(chains.bench.graph(), codegens, machine.target, {}, diags);
      ASSERT_TRUE(placed);
      const auto folded = optimise::rewrite(chains.bench.graph(), *placed, codegens, machine.target, {}, diags);
      ASSERT_TRUE(folded && folded->summary.size() == 1);
      EXPECT_EQ(folded->summary[0].count, chains.can_fold);
      EXPECT_GE(chains.can_fold, 8U);
      // Images that are turned have their sums of floats in another order.
      chains.bench.backend.layout = c::Layout::graph;
      EXPECT_EQ(chains.bench.check_region(machine, folded->partition.regions.at(0).bound), "");
      EXPECT_EQ(chains.bench.check(machine), "");
    }
  }
}

}  // namespace
}  // namespace byoc::test
