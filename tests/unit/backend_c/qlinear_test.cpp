// Products, sums and pools on i8 and u8 against the evaluator: operators that carry their quantisation as operands, and
// operators on quantised tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;
using Dims = GraphBench::Dims;

struct Types {
  DType in, weights, out;
  bool has_weight_zero = false;
};

constexpr Types kConvTypes[] = {{DType::i8, DType::i8, DType::i8},       {DType::i8, DType::u8, DType::i8, true},
                                {DType::u8, DType::i8, DType::u8},       {DType::u8, DType::u8, DType::u8, true},
                                {DType::u8, DType::i8, DType::i8, true}, {DType::i8, DType::i8, DType::u8}};

// Weight quantisation of `channels`: one scale or one each, zero points of all sorts.
struct WeightScales {
  std::vector<float> scales;
  std::vector<std::int64_t> zeros;
};

WeightScales weight_scales(GraphBench& bench, const Types& t, std::int64_t channels, std::int64_t depth) {
  WeightScales w;
  const bool per_channel = bench.pick(0, 2) != 0;
  const std::int64_t middle = t.weights == DType::u8 ? 128 : 0;
  for (std::int64_t c = 0; c < (per_channel ? channels : 1); ++c) {
    // Results spread over the range of the output, some beyond it.
    float scale = bench.real(0.5f, 4.0f) / static_cast<float>(100 * depth);
    if (bench.pick(0, 2) == 0) scale = std::exp2(std::round(std::log2(scale)));  // ties are frequent
    if (bench.pick(0, 9) == 0) scale *= 300;
    w.scales.push_back(scale);
    w.zeros.push_back(t.has_weight_zero ? bench.pick(0, 1) ? bench.zero_point(t.weights) : middle : middle);
  }
  return w;
}

struct Shape {
  Dims x, w, y;
  std::int64_t group = 1;
  Dims strides{1, 1}, pads{0, 0, 0, 0}, dilations{1, 1};
};

const Shape kConvShapes[] = {
    {{1, 3, 7, 5}, {5, 3, 3, 3}, {1, 5, 7, 5}, 1, {1, 1}, {1, 1, 1, 1}},
    {{2, 4, 6, 9}, {6, 2, 2, 3}, {2, 6, 3, 4}, 2, {2, 2}, {0, 1, 1, 0}},
    {{1, 5, 9, 8}, {10, 1, 3, 3}, {1, 10, 7, 6}, 5, {1, 1}, {1, 1, 1, 1}, {2, 2}},
    {{1, 7, 4, 3}, {9, 7, 1, 1}, {1, 9, 4, 3}},
};

GraphBench::Attributes conv_attributes(const Shape& s) {
  return {{"group", s.group},
          {"strides", s.strides},
          {"pads", s.pads},
          {"dilations", s.dilations},
          {"kernel_shape", Dims{s.w[2], s.w[3]}}};
}

std::vector<std::int64_t> biases(GraphBench& bench, std::int64_t channels) {
  std::vector<std::int64_t> out;
  for (std::int64_t c = 0; c < channels; ++c) out.push_back(bench.pick(-20000, 20000));
  return out;
}

void add_qlinear_conv(GraphBench& bench, const Types& t, const Shape& s) {
  const std::int64_t channels = s.w[0], depth = s.w[1] * s.w[2] * s.w[3];
  const WeightScales w = weight_scales(bench, t, channels, depth);
  const auto n = static_cast<std::int64_t>(w.scales.size());
  const Dims count = n == 1 ? Dims{} : Dims{n};
  // One zero point serves scales for each channel too.
  const bool one_zero = bench.pick(0, 1) != 0;
  const auto zero = one_zero ? bench.scalar(t.weights, w.zeros[0]) : bench.integers(t.weights, count, w.zeros, true);
  std::vector<ir::ValueId> inputs{bench.integers(t.in, s.x, false),
                                  bench.scalar(0.5f),
                                  bench.scalar(t.in, bench.zero_point(t.in)),
                                  bench.integers(t.weights, s.w, true),
                                  bench.reals(count, w.scales, true),
                                  zero,
                                  bench.scalar(0.25f),
                                  bench.scalar(t.out, bench.zero_point(t.out))};
  if (bench.pick(0, 1)) inputs.push_back(bench.integers(DType::i32, {channels}, biases(bench, channels), true));
  bench.node("QLinearConv", inputs, t.out, s.y, conv_attributes(s));
}

void add_qlinear_matmul(GraphBench& bench, const Types& t, const Dims& rows) {
  const std::int64_t depth = bench.pick(1, 19), units = bench.pick(2, 11);
  Dims x = rows, y = rows;
  x.push_back(depth);
  y.push_back(units);
  const WeightScales w = weight_scales(bench, t, units, depth);
  const Dims count = w.scales.size() == 1 ? Dims{} : Dims{units};
  bench.node("QLinearMatMul",
             {bench.integers(t.in, x, false), bench.scalar(0.5f), bench.scalar(t.in, bench.zero_point(t.in)),
              bench.integers(t.weights, {depth, units}, true), bench.reals(count, w.scales, true),
              bench.integers(t.weights, count, w.zeros, true), bench.scalar(0.25f),
              bench.scalar(t.out, bench.zero_point(t.out))},
             t.out, y);
}

std::string activation(GraphBench& bench) {
  constexpr const char* kNames[] = {"none", "relu", "relu6", "relu_n1_to_1"};
  return kNames[bench.pick(0, 3)];
}

// Conv on tensors of type `t`, with a bias and an activation.
void add_lifted_conv(GraphBench& bench, const Types& t, const Shape& s) {
  const std::int64_t channels = s.w[0];
  const WeightScales w = weight_scales(bench, t, channels, s.w[1] * s.w[2] * s.w[3]);
  const auto x = bench.integers(t.in, s.x, false);
  bench.quantise(x, {0.5f}, {bench.zero_point(t.in)});
  const auto weights = bench.integers(t.weights, s.w, true);
  bench.quantise(weights, w.scales, w.zeros, w.scales.size() > 1 ? 0 : -1);
  const auto bias = bench.integers(DType::i32, {channels}, biases(bench, channels), true);
  auto attributes = conv_attributes(s);
  attributes["activation"] = activation(bench);
  bench.quantise(bench.node("Conv", {x, weights, bias}, t.out, s.y, attributes), {0.25f}, {bench.zero_point(t.out)});
}

// [3, depth] by weights of [units, depth] or, `transposed`, [depth, units].
void add_lifted_dense(GraphBench& bench, const Types& t, const std::string& op, bool transposed) {
  const std::int64_t depth = bench.pick(1, 19), units = bench.pick(2, 11);
  const WeightScales w = weight_scales(bench, t, units, depth);
  const auto x = bench.integers(t.in, {3, depth}, false);
  bench.quantise(x, {0.5f}, {bench.zero_point(t.in)});
  const auto weights = bench.integers(t.weights, transposed ? Dims{depth, units} : Dims{units, depth}, true);
  bench.quantise(weights, w.scales, w.zeros, w.scales.size() > 1 ? (transposed ? 1 : 0) : -1);
  std::vector<ir::ValueId> inputs{x, weights};
  if (op != "MatMul") inputs.push_back(bench.integers(DType::i32, {units}, biases(bench, units), true));
  GraphBench::Attributes attributes{{"activation", activation(bench)}};
  if (op == "Gemm") attributes["transB"] = std::int64_t{transposed ? 0 : 1};
  bench.quantise(bench.node(op, inputs, t.out, {3, units}, attributes), {0.25f}, {bench.zero_point(t.out)});
}

void add_pairs(GraphBench& bench, DType t) {
  const std::pair<Dims, Dims> shapes[] = {{{2, 3, 4, 5}, {2, 3, 4, 5}}, {{2, 3, 4, 5}, {3, 1, 1}}, {{7}, {1}}};
  for (const char* op : {"Add", "Sub", "Mul"}) {
    for (const auto& [a_dims, b_dims] : shapes) {
      const auto a = bench.integers(t, a_dims, false), b = bench.integers(t, b_dims, bench.pick(0, 1) != 0);
      bench.quantise(a, {bench.real(0.01f, 0.1f)}, {bench.zero_point(t)});
      bench.quantise(b, {bench.real(0.01f, 0.1f)}, {bench.zero_point(t)});
      const float scale = std::string(op) == "Mul" ? bench.real(0.01f, 1.0f) : bench.pick(0, 1) ? 0.125f : 0.07f;
      bench.quantise(bench.node(op, {a, b}, t, a_dims, {{"activation", activation(bench)}}), {scale},
                     {bench.zero_point(t)});
    }
  }
}

void add_quantised_pools(GraphBench& bench, DType t, bool same_quantisation) {
  const auto quantised = [&](ir::ValueId x, ir::ValueId y, bool same) {
    const float scale = bench.real(0.1f, 1.0f);
    const std::int64_t zero = bench.zero_point(t);
    bench.quantise(x, {scale}, {zero});
    bench.quantise(y, {same ? scale : bench.real(0.1f, 1.0f)}, {same ? zero : bench.zero_point(t)});
  };
  const Dims dims{2, 5, 9, 7};
  const GraphBench::Attributes window{
      {"kernel_shape", Dims{3, 2}}, {"strides", Dims{2, 1}}, {"pads", Dims{1, 1, 1, 0}}};
  auto x = bench.integers(t, dims, false);
  quantised(x, bench.node("AveragePool", {x}, t, {2, 5, 5, 7}, window), same_quantisation);
  x = bench.integers(t, dims, false);
  quantised(x, bench.node("GlobalAveragePool", {x}, t, {2, 5, 1, 1}), same_quantisation);
  x = bench.integers(t, dims, false);
  quantised(x, bench.node("MaxPool", {x}, t, {2, 5, 5, 7}, window), true);
}

TEST(QuantisedPools, maxOfShorts) {
  GraphBench bench(17);
  for (const DType t : {DType::i16, DType::u16})
    for (const char* activation : {"none", "relu"}) {
      const auto x = bench.integers(t, {1, 3, 6, 5}, false);
      const auto y = bench.node(
          "MaxPool", {x}, t, {1, 3, 6, 4},
          {{"kernel_shape", Dims{3, 2}}, {"pads", Dims{1, 0, 1, 0}}, {"activation", std::string(activation)}});
      const std::int64_t zero = bench.zero_point(t);
      for (const auto v : {x, y}) bench.quantise(v, {0.25f}, {zero});
    }
  EXPECT_EQ(bench.check(host_machine()), "");
}

// Relu, and Clip with one or two bounds in real units.
void add_clamps(GraphBench& bench, DType t) {
  const auto quantised = [&](ir::ValueId v) { bench.quantise(v, {bench.real(0.02f, 0.2f)}, {bench.zero_point(t)}); };
  const auto input = [&] {
    const auto x = bench.integers(t, {3, 5, 7}, false);
    quantised(x);
    return x;
  };
  const auto low = bench.scalar(-0.75f), high = bench.scalar(2.3f);
  quantised(bench.node("Relu", {input()}, t, {3, 5, 7}));
  quantised(bench.node("Clip", {input(), low, high}, t, {3, 5, 7}));
  quantised(bench.node("Clip", {input(), ir::kNoValue, high}, t, {3, 5, 7}));
}

void add_lifted(GraphBench& bench, Requant requant) {
  for (const Types& t : kConvTypes) {
    for (const Shape& s : kConvShapes) add_lifted_conv(bench, t, s);
    add_lifted_dense(bench, t, "byoc.FullyConnected", false);
    add_lifted_dense(bench, t, "Gemm", false);
    add_lifted_dense(bench, t, "Gemm", true);
    add_lifted_dense(bench, t, "MatMul", true);
  }
  for (const DType t : {DType::i8, DType::u8}) {
    add_pairs(bench, t);
    add_clamps(bench, t);
    add_quantised_pools(bench, t, requant == Requant::tflite);
  }
}

void add_qlinear(GraphBench& bench) {
  for (const Types& t : kConvTypes) {
    for (const Shape& s : kConvShapes) add_qlinear_conv(bench, t, s);
    add_qlinear_matmul(bench, t, {3});
    add_qlinear_matmul(bench, t, {});
    add_qlinear_matmul(bench, t, {2, 4});
  }
}

TEST(QLinear, EqualsTheEvaluator) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    GraphBench bench(seed);
    add_qlinear(bench);
    EXPECT_EQ(bench.check(host_machine()), "") << "seed " << seed;
  }
}

TEST(QLinear, GivesTheSameBitsOnCortexM) {
  for (const Machine& machine : {cortex_m4f(), cortex_m55(true), cortex_m0plus()}) {
    GraphBench bench(11);
    add_qlinear(bench);
    EXPECT_EQ(bench.check(machine), "") << machine.target.name;
  }
}

TEST(QuantisedTensors, EqualTheEvaluatorInEveryType) {
  for (const Requant requant : {Requant::onnx, Requant::tflite}) {
    for (unsigned seed = 20; seed < 23; ++seed) {
      GraphBench bench(seed, requant);
      add_lifted(bench, requant);
      EXPECT_EQ(bench.check(host_machine()), "") << "seed " << seed;
    }
  }
}

TEST(QuantisedTensors, GiveTheSameBitsOnCortexM) {
  for (const Machine& machine : {cortex_m4f(true), cortex_m55(), cortex_m0plus(true)}) {
    GraphBench onnx(31), tflite(31, Requant::tflite);
    add_lifted(onnx, Requant::onnx);
    add_lifted(tflite, Requant::tflite);
    EXPECT_EQ(onnx.check(machine), "") << machine.target.name;
    EXPECT_EQ(tflite.check(machine), "") << machine.target.name;
  }
}

TEST(QuantisedTensors, BoundsHalfWayBetweenStepsAreRoundedAsTheFrameworkDoes) {
  for (const Requant requant : {Requant::onnx, Requant::tflite}) {
    GraphBench bench(5, requant);
    for (const auto& [activation, scale] : {std::pair{"relu_n1_to_1", 2.0f}, std::pair{"relu6", 12.0f}}) {
      const GraphBench::Attributes clamped{{"activation", std::string(activation)}};
      const auto input = [&](const Dims& dims, bool constant = false) {
        const auto x = bench.integers(DType::i8, dims, constant);
        bench.quantise(x, {scale}, {3});
        return x;
      };
      const auto result = [&](ir::ValueId y) { bench.quantise(y, {scale}, {3}); };
      GraphBench::Attributes conv = conv_attributes(kConvShapes[3]);
      conv.insert(clamped.begin(), clamped.end());
      const auto filter = bench.integers(DType::i8, kConvShapes[3].w, true);
      bench.quantise(filter, {0.01f}, {0});
      result(bench.node("Conv", {input(kConvShapes[3].x), filter}, DType::i8, kConvShapes[3].y, conv));
      const auto weights = bench.integers(DType::i8, {4, 5}, true);
      bench.quantise(weights, {0.01f}, {0});
      result(bench.node("byoc.FullyConnected", {input({2, 5}), weights}, DType::i8, {2, 4}, clamped));
      result(bench.node("Add", {input({7}), input({7})}, DType::i8, {7}, clamped));
      GraphBench::Attributes window = clamped;
      window["kernel_shape"] = Dims{2, 2};
      result(bench.node("AveragePool", {input({1, 3, 4, 4})}, DType::i8, {1, 3, 3, 3}, window));
      result(bench.node("MaxPool", {input({1, 3, 4, 4})}, DType::i8, {1, 3, 3, 3}, window));
    }
    EXPECT_EQ(bench.check(host_machine()), "");
  }
}

TEST(QuantisedTensors, SumsAndProductsMayOverwriteAnOperand) {
  GraphBench bench(3);
  add_pairs(bench, DType::u8);
  EXPECT_EQ(bench.check(host_machine("clang-19"), {.use_overlays = true}), "");
}

// One QLinearMatMul of [2, 3] by [3, 4] with one thing changed.
struct Product {
  DType in = DType::u8, out = DType::u8;
  Dims weights{3, 4};
  bool constant_weights = true, constant_scale = true;
  float weight_scale = 1;

  [[nodiscard]] std::string refusal() const {
    GraphBench bench(0);
    bench.node("QLinearMatMul",
               {bench.integers(in, {2, 3}, false), bench.reals({}, {1}, constant_scale), bench.scalar(in, 0),
                bench.integers(DType::i8, weights, constant_weights), bench.scalar(weight_scale),
                bench.scalar(DType::i8, 0), bench.scalar(1.0f), bench.scalar(out, 0)},
               out, {2, 4});
    return bench.refusal(host_machine());
  }
};

TEST(QLinear, RefusesWhatItCannotCompute) {
  EXPECT_EQ(Product{}.refusal(), "");
  // What the fast kernels do not take, the general one does.
  EXPECT_EQ((Product{.in = DType::i16}.refusal()), "");
  EXPECT_EQ((Product{.out = DType::u16}.refusal()), "");
  EXPECT_EQ((Product{.weights = {2, 3, 4}}.refusal()), "");
  EXPECT_EQ((Product{.constant_weights = false}.refusal()), "");
  EXPECT_EQ((Product{.constant_scale = false}.refusal()), "");
  EXPECT_THAT((Product{.in = DType::i32}.refusal()), HasSubstr("found i32, expected i8, u8, i16 or u16"));
  EXPECT_THAT((Product{.weights = {4, 4}}.refusal()), HasSubstr("whose inner dims differ"));
  EXPECT_THAT((Product{.weight_scale = 0}.refusal()),
              HasSubstr("found a scale of 0, expected a finite number above 0"));
}

TEST(QuantisedTensors, RefuseZeroPointsOutsideTheirType) {
  const auto refusal = [](std::int64_t in_zero, std::int64_t weight_zero) {
    GraphBench bench(0);
    const auto x = bench.integers(DType::u8, {2, 3}, false), w = bench.integers(DType::u8, {4, 3}, true);
    bench.quantise(x, {1}, {in_zero});
    bench.quantise(w, {1}, {weight_zero});
    bench.quantise(bench.node("byoc.FullyConnected", {x, w}, DType::u8, {2, 4}), {1}, {0});
    return bench.refusal(host_machine());
  };
  EXPECT_EQ(refusal(255, 255), "");
  EXPECT_THAT(refusal(256, 0), HasSubstr("expected a scale > 0 and a zero point in [0, 255]"));
  EXPECT_THAT(refusal(0, -1), HasSubstr("weights: found zero point -1, expected one of u8"));
}

// Sums of all pairs of bytes: in integers where tables can be found that round as floats do, in floats otherwise.
void sums_of_all_pairs(DType type) {
  std::vector<std::int64_t> all(256);
  std::iota(all.begin(), all.end(), type == DType::i8 ? -128 : 0);
  GraphBench bench(5);
  const auto add = [&](const char* op, float a_scale, float b_scale, float y_scale) {
    const auto a = bench.integers(type, {256, 1}, all, false), b = bench.integers(type, {1, 256}, all, false);
    bench.quantise(a, {a_scale}, {bench.zero_point(type)});
    bench.quantise(b, {b_scale}, {bench.zero_point(type)});
    bench.quantise(bench.node(op, {a, b}, type, {256, 256}), {y_scale}, {bench.zero_point(type)});
  };
  constexpr int kSums = 24;
  for (int i = 0; i < kSums; ++i)
    add(i % 2 ? "Add" : "Sub", bench.real(0.01F, 0.1F), bench.real(0.01F, 0.1F), bench.real(0.02F, 0.2F));
  add("Add", 0.5F, 0.5F, 1.0F);       // halves, which go to even numbers
  add("Add", 0.001F, 0.002F, 50.0F);  // nothing is left
  add("Sub", 90.0F, 80.0F, 1e-6F);    // nearly everything saturates
  add("Add", 1e30F, 3.0F, 1e-30F);
  const RunResult result = bench.run(host_machine());
  int in_integers = 0;
  for (const codegen::Step& s : result.steps) in_integers += s.kernel == "byoc_add_s8" ? 1 : 0;
  EXPECT_GT(in_integers, kSums * 3 / 4);
  EXPECT_EQ(result.steps.at(kSums).kernel, "byoc_add_s8_onnx");
  EXPECT_EQ(bench.check(host_machine()), "");
}

TEST(QuantisedTensors, SumsOfAllPairs) {
  sums_of_all_pairs(DType::i8);
  sums_of_all_pairs(DType::u8);
}

TEST(QuantisedTensors, ProductsBeyondTheOutputSaturateAsTheEvaluatorHasThem) {
  GraphBench bench(0, Requant::tflite);
  const auto a = bench.integers(DType::i8, {2}, false), b = bench.integers(DType::i8, {2}, false);
  bench.quantise(a, {1024}, {0});
  bench.quantise(b, {1024}, {0});
  bench.quantise(bench.node("Mul", {a, b}, DType::i8, {2}), {1}, {0});
  EXPECT_EQ(bench.check(host_machine()), "");
}

}  // namespace
}  // namespace byoc::test
