// Images whose channels the model has first and memory last: the same results, bit for bit, and the same places as a
// model that has them last.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "backends/c/operators.hpp"
#include "backends/layers/channels_last.hpp"
#include "sdk/model/ir/text.hpp"
#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

using Dims = GraphBench::Dims;

// A random network of images [batch,channels,height,width] or [batch,channels,width].
class LayoutNetwork {
 public:
  LayoutNetwork(unsigned seed, DType type) : bench(seed, Requant::onnx), type_(type) {
    dims_ = {bench.pick(0, 4) == 0 ? 2 : 1, bench.pick(1, 9), bench.pick(5, 12), bench.pick(3, 9)};
    if (bench.pick(0, 4) == 0) dims_.pop_back();
    start();
    for (std::int64_t n = bench.pick(4, 10); n > 0; --n) add();
    if (bench.pick(0, 1))
      value_ = node("Flatten", {value_}, {dims_[0], count() / dims_[0]}, {{"axis", std::int64_t{1}}});
    bench.finish(value_);
    for (const ir::ValueId v : given_) bench.give(v);
  }

  GraphBench bench;

 private:
  std::size_t spatial() const { return dims_.size() - 2; }
  std::int64_t count() const {
    return std::accumulate(dims_.begin(), dims_.end(), std::int64_t{1}, std::multiplies<>());
  }
  Dims one_pixel() const {
    Dims out(dims_.size(), 1);
    out[0] = dims_[0];
    out[1] = dims_[1];
    return out;
  }
  ir::ValueId tensor(const Dims& dims, bool is_constant) {
    const ir::ValueId v =
        type_ == DType::f32 ? bench.numbers(type_, dims, is_constant, false) : bench.integers(type_, dims, is_constant);
    set(v);
    return v;
  }
  void set(ir::ValueId v) {
    if (type_ != DType::f32) bench.quantise(v, {0.5F}, {type_ == DType::u8 ? 131 : -3});
  }
  ir::ValueId node(const std::string& op, std::vector<ir::ValueId> inputs, const Dims& dims,
                   GraphBench::Attributes attributes = {}) {
    const ir::ValueId v = bench.inner(op, std::move(inputs), type_, dims, std::move(attributes));
    set(v);
    return v;
  }

  // The input, which has its channels last sometimes.
  void start() {
    if (bench.pick(0, 2) != 0) {
      value_ = tensor(dims_, false);
      return;
    }
    Dims last = dims_, perm{0, static_cast<std::int64_t>(dims_.size()) - 1};
    std::rotate(last.begin() + 1, last.begin() + 2, last.end());
    for (std::size_t d = 1; d + 1 < dims_.size(); ++d) perm.push_back(static_cast<std::int64_t>(d));
    value_ = node("Transpose", {tensor(last, false)}, dims_, {{"perm", perm}});
  }

  void add() {
    if (bench.pick(0, 7) == 0) given_.push_back(value_);
    switch (bench.pick(0, 9)) {
      case 0: value_ = node("Relu", {value_}, dims_); return;
      case 1: return residual();
      case 2: return window("MaxPool");
      case 3: return window("AveragePool");
      case 4: return weighted();
      case 5: return joined();
      case 6: return shifted();
      default: return window("Conv");
    }
  }

  // Two ways from here to a sum.
  void residual() {
    const ir::ValueId from = value_;
    const Dims dims = dims_;
    same_ = true;
    window("Conv");
    same_ = false;
    if (dims_ == dims) value_ = node("Add", {value_, from}, dims_);
  }
  // Each channel by a number that is made of it.
  void weighted() {
    const ir::ValueId mean = node("GlobalAveragePool", {value_}, one_pixel());
    value_ = node("Mul", {value_, node("Relu", {mean}, one_pixel())}, dims_);
  }
  void joined() {
    if (dims_[1] > 20) return;
    const ir::ValueId other = bench.pick(0, 3) == 0 ? tensor(dims_, false) : node("Relu", {value_}, dims_);
    Dims out = dims_;
    out[1] *= 2;
    const std::int64_t rank = static_cast<std::int64_t>(dims_.size());
    value_ = node("Concat", {value_, other}, out, {{"axis", bench.pick(0, 1) ? 1 : 1 - rank}});
    dims_ = out;
  }
  // By a constant for each channel, or for each pixel.
  void shifted() {
    Dims dims(dims_.begin() + 1, dims_.end());
    if (bench.pick(0, 1))
      std::fill(dims.begin() + 1, dims.end(), 1);
    else
      dims[0] = 1;
    value_ = node("Add", {value_, tensor(dims, true)}, dims_);
  }

  void window(const std::string& op) {
    const bool conv = op == "Conv", depthwise = conv && bench.pick(0, 2) == 0;
    const std::size_t n = spatial();
    Dims kernel, strides, dilations, pads(2 * n), out = dims_;
    for (std::size_t i = 0; i < n; ++i) {
      kernel.push_back(same_ ? 2 * bench.pick(0, 1) + 1 : bench.pick(1, 3));
      strides.push_back(same_ ? 1 : bench.pick(1, 2));
      dilations.push_back(same_ || !conv ? 1 : bench.pick(1, 2));
      const std::int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
      pads[i] = same_ ? reach / 2 : bench.pick(0, kernel[i] - 1);
      pads[i + n] = same_ ? reach / 2 : bench.pick(0, kernel[i] - 1);
      const std::int64_t free = dims_[i + 2] + pads[i] + pads[i + n] - reach;
      if (free < 0) return;
      out[i + 2] = free / strides[i] + 1;
    }
    GraphBench::Attributes attributes{{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}};
    std::vector<ir::ValueId> operands{value_};
    if (conv) {
      attributes["dilations"] = dilations;
      const std::int64_t in = dims_[1];
      if (!same_ && !depthwise) out[1] = bench.pick(1, 9);
      attributes["group"] = depthwise ? in : std::int64_t{1};
      Dims weights{out[1], depthwise ? 1 : in};
      weights.insert(weights.end(), kernel.begin(), kernel.end());
      operands.push_back(type_ == DType::f32 ? tensor(weights, true) : bench.integers(DType::i8, weights, true));
      if (type_ != DType::f32) bench.quantise(operands[1], {0.01F}, {0});
    }
    value_ = node(op, operands, out, attributes);
    dims_ = out;
  }

  const DType type_;
  Dims dims_;
  ir::ValueId value_ = 0;
  std::vector<ir::ValueId> given_;
  bool same_ = false;  // windows that keep the image's size
};

// "": the same; of floats, whose sums have another order, up to 1e-5 of the largest.
std::string difference_of_runs(const RunResult& a, const RunResult& b, DType type) {
  if (!a.error.empty() || !b.error.empty()) return a.error + b.error;
  if (type != DType::f32) return a.outputs == b.outputs ? "" : "results differ";
  for (const auto& [v, bytes] : a.outputs) {
    std::vector<float> x(bytes.size() / sizeof(float)), y(x.size());
    std::memcpy(x.data(), bytes.data(), bytes.size());
    std::memcpy(y.data(), b.outputs.at(v).data(), bytes.size());
    float largest = 1;
    for (const float f : x) largest = std::max(largest, std::abs(f));
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!(std::abs(x[i] - y[i]) <= 1e-5F * largest))
        return "element " + std::to_string(i) + ": " + std::to_string(x[i]) + " and " + std::to_string(y[i]);
  }
  return "";
}

void same_results(const Machine& machine, DType type, unsigned count) {
  for (unsigned seed = 0; seed < count; ++seed) {
    const LayoutNetwork network(seed + 100 * static_cast<unsigned>(type), type);
    RunOptions turned;
    turned.use_overlays = seed % 2 == 1;
    turned.memory_budget = seed % 3 == 0 ? 1 : 0;
    const RunResult one = network.bench.run(machine, {}, {.kernels = {}, .layout = c::Layout::graph});
    const RunResult other = network.bench.run(machine, turned, {.kernels = {}, .layout = c::Layout::channels_last});
    ASSERT_EQ(difference_of_runs(one, other, type), "") << "seed " << seed;
  }
}

TEST(ChannelsLast, sameResultsOnTheHost) {
  for (const DType type : {DType::i8, DType::u8, DType::f32}) same_results(host_machine(), type, 8);
  Machine cxx = host_machine("gcc");
  cxx.is_cxx = true;
  same_results(cxx, DType::f32, 2);
}

TEST(ChannelsLast, sameResultsOnCortexM) {
  for (const DType type : {DType::i8, DType::f32}) {
    same_results(cortex_m4f(true), type, 3);
    same_results(cortex_m55(true), type, 3);
  }
  same_results(cortex_m0plus(), DType::i8, 3);
}

// The region of a graph in text form, with everything turned that can be, as text: "Conv NCHW->NHWC".
std::string turned(const std::string& statements, bool always = true) {
  Diagnostics diags;
  const auto graph = ir::parse("graph \"t\" requant=onnx {\n" + statements + "}\n", "t.byoc", diags);
  if (!graph) return to_string(diags.all().front());
  const plugin::BoundRegion bound = plugin::make_region(*graph);
  const auto laid_out = layers::with_channels_last(bound.region, {.always = always}, c::operator_traits(),
                                                   [](const codegen::Region&, const codegen::Node&) { return true; });
  if (!laid_out) return "as it is";
  std::string out;
  for (const codegen::Node& n : laid_out->region.nodes) {
    out += (out.empty() ? "" : ", ") + n.op;
    const std::string in = n.text("data_layout", "");
    if (!in.empty()) out += " " + in + "->" + n.text("output_layout", in);
  }
  return out;
}

// "%x : i8[1,4,8,8]" of a quantised image.
std::string image(const std::string& name, int channels, int size) {
  return "%" + name + " : i8[1," + std::to_string(channels) + "," + std::to_string(size) + "," + std::to_string(size) +
         "] q(0.5, -3)";
}

std::string weights(const std::string& name, int out, int in) {
  return "const %" + name + " : i8[" + std::to_string(out) + "," + std::to_string(in) + ",1,1] q(0.1, 0) = splat(1)\n";
}

const std::string kConv = "{kernel_shape=[1, 1], strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], group=1}\n";

TEST(ChannelsLast, quantisedLayersTakeEachOperandAsItLies) {
  const std::string text = "input " + image("x", 4, 8) + "\n" + weights("w", 8, 4) + weights("v", 8, 8) +
                           image("a", 8, 8) + " = Conv.13(%x, %w) " + kConv + image("b", 8, 8) + " = Conv.13(%a, %v) " +
                           kConv + image("c", 8, 8) + " = Add.13(%b, %a)\n" + image("y", 8, 8) + " = Conv.13(%c, %v) " +
                           kConv + "output %y\n";
  EXPECT_EQ(turned(text), "Conv NCHW->NHWC, Conv NHWC->NHWC, Add, Conv NHWC->NCHW");
  EXPECT_EQ(turned(text, false), turned(text));
}

TEST(ChannelsLast, floatsAreTurnedAtTheBorder) {
  const std::string conv = " {kernel_shape=[1, 1], strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], group=1}\n";
  const std::string text =
      "input %x : f32[1,2,4,4]\nconst %w : f32[64,2,1,1] = splat(1)\nconst %v : f32[64,64,1,1] = splat(1)\n"
      "%a : f32[1,64,4,4] = Conv.13(%x, %w)" +
      conv + "%b : f32[1,64,4,4] = Conv.13(%a, %v)" + conv +
      "%c : f32[1,64,1,1] = GlobalAveragePool.13(%b)\noutput %c\n";
  // The last has one pixel, whose bytes are the same either way.
  EXPECT_EQ(turned(text, false),
            "Transpose, Conv NHWC->NHWC, Conv NHWC->NHWC, GlobalAveragePool NHWC->NHWC, Transpose");
}

TEST(ChannelsLast, aTransposeThatGivesChannelsFirstIsReadOver) {
  const std::string text = "input %x : i8[1,8,8,4] q(0.5, -3)\n" + weights("w", 8, 4) + image("t", 4, 8) +
                           " = Transpose.13(%x) {perm=[0, 3, 1, 2]}\n" + image("y", 8, 8) + " = Conv.13(%t, %w) " +
                           kConv;
  EXPECT_EQ(turned(text + "output %y\n"), "Conv NHWC->NCHW");
  EXPECT_EQ(turned(text + "output %y\noutput %t\n"), "Transpose, Conv NHWC->NCHW");
}

TEST(ChannelsLast, bordersAreWhereLeastIsTurned) {
  const std::string text = "input %f : f32[1,4,8,8]\n" + image("x", 4, 8) + " = byoc.Quantize.1(%f)\n" +
                           weights("w", 8, 4) + weights("v", 8, 8) + image("a", 8, 8) + " = Conv.13(%x, %w) " + kConv +
                           image("y", 8, 8) + " = Conv.13(%a, %v) " + kConv +
                           "%g : f32[1,8,8,8] = byoc.Dequantize.1(%y)\noutput %g\n";
  EXPECT_EQ(turned(text), "Quantize, Conv NCHW->NHWC, Conv NHWC->NCHW, Dequantize");
}

// Nine elements are gathered for each that is turned.
TEST(ChannelsLast, anInputIsTurnedForALayerThatReadsItOften) {
  const std::string text = "input " + image("x", 4, 8) + "\nconst %w : i8[8,4,3,3] q(0.1, 0) = splat(1)\n" +
                           image("y", 8, 8) +
                           " = Conv.13(%x, %w) {kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1], "
                           "dilations=[1, 1], group=1}\noutput %y\n";
  EXPECT_EQ(turned(text, false), "Transpose, Conv NHWC->NCHW");
  Diagnostics diags;
  const auto graph = ir::parse("graph \"t\" requant=onnx {\n" + text + "}\n", "t.byoc", diags);
  ASSERT_TRUE(graph);
  const plugin::BoundRegion bound = plugin::make_region(*graph);
  EXPECT_FALSE(layers::with_channels_last(bound.region, {.spares_memory = true}, c::operator_traits(),
                                          [](const codegen::Region&, const codegen::Node&) { return true; }));
}

TEST(ChannelsLast, whatGainsNothingStays) {
  const std::string input = "input " + image("x", 8, 8) + "\n";
  const std::string depthwise = image("y", 8, 8) +
                                " = Conv.13(%a, %w) {kernel_shape=[1, 1], strides=[1, 1], pads=[0, 0, 0, 0], "
                                "dilations=[1, 1], group=8}\noutput %y\n";
  EXPECT_EQ(turned(input + weights("w", 8, 1) + image("a", 8, 8) + " = Relu.13(%x)\n" + depthwise, false), "as it is");
  // Everything that somebody else reads would have to be turned back.
  EXPECT_EQ(turned(input + weights("w", 1, 8) + image("y", 1, 8) + " = Conv.13(%x, %w) " + kConv + "output %y\n"),
            "as it is");
}

TEST(ChannelsLast, aNodeThatIsRefusedInItsNewFormKeepsItsOwn) {
  Diagnostics diags;
  const auto graph =
      ir::parse("graph \"t\" requant=onnx {\ninput " + image("x", 4, 6) + "\n" + weights("w", 8, 4) +
                    weights("v", 8, 8) + image("a", 8, 6) + " = Conv.13(%x, %w) " + kConv + image("b", 8, 6) +
                    " = Relu.13(%a)\n" + image("y", 8, 6) + " = Conv.13(%b, %v) " + kConv + "output %y\n}\n",
                "t.byoc", diags);
  ASSERT_TRUE(graph);
  const plugin::BoundRegion bound = plugin::make_region(*graph);
  const auto laid_out = layers::with_channels_last(
      bound.region, {.always = true}, c::operator_traits(), [&](const codegen::Region& r, const codegen::Node& n) {
        return n.op != "Relu" ||
               r.values[n.inputs[0]].dims == bound.region.values[bound.region.nodes[1].inputs[0]].dims;
      });
  EXPECT_FALSE(laid_out);
}

TEST(ChannelsLast, aNodeThatIsRefusedAsItIsStopsNobody) {
  Diagnostics diags;
  const auto graph =
      ir::parse("graph \"t\" requant=onnx {\ninput " + image("x", 4, 6) + "\n" + weights("w", 8, 4) +
                    weights("v", 8, 8) + image("a", 8, 6) + " = Conv.13(%x, %w) " + kConv + image("b", 8, 6) +
                    " = Conv.13(%a, %v) " + kConv + image("y", 8, 6) + " = Relu.13(%b)\noutput %y\n}\n",
                "t.byoc", diags);
  ASSERT_TRUE(graph);
  const plugin::BoundRegion bound = plugin::make_region(*graph);
  const auto laid_out =
      layers::with_channels_last(bound.region, {.always = true}, c::operator_traits(),
                                 [](const codegen::Region&, const codegen::Node& n) { return n.op != "Relu"; });
  ASSERT_TRUE(laid_out);
  EXPECT_EQ(laid_out->region.nodes.size(), 3U);
}

}  // namespace
}  // namespace byoc::test
