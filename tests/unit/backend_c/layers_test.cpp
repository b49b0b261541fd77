// Layers of every element type against the evaluator: convolutions with computed weights, products, pools,
// normalisation, recurrent layers, losses, optimisers, signals.
#include <gtest/gtest.h>

#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

using Dims = GraphBench::Dims;

struct Layers {
  explicit Layers(DType t, unsigned seed = 1) : type(t), bench(seed) {
    // Sums are formed in float, the evaluator's in double: of 16-bit floats the last bit may differ.
    const double step = t == DType::f16 ? 2e-3 : t == DType::bf16 ? 2e-2 : t == DType::f32 ? 4e-6 : 1e-13;
    bench.tolerance = {t == DType::f16 || t == DType::bf16 ? 1.0 : 64.0, step};
  }
  ir::ValueId x(const Dims& dims) { return bench.reals_between(type, dims, -1, 1); }
  ir::ValueId w(const Dims& dims) { return bench.numbers(type, dims, true, false); }
  ir::ValueId positive(const Dims& dims) { return bench.reals_between(type, dims, 0.5, 2); }
  void node(const std::string& op, std::vector<ir::ValueId> in, const Dims& y, GraphBench::Attributes a = {},
            std::int64_t opset = 17) {
    bench.node(op, std::move(in), type, y, std::move(a), opset);
  }
  std::string check() { return bench.check(host_machine()); }

  DType type;
  GraphBench bench;
};

GraphBench::Attributes window(Dims kernel, Dims strides, Dims pads, Dims dilations, GraphBench::Attributes more = {}) {
  more.insert({"kernel_shape", std::move(kernel)});
  more.insert({"strides", std::move(strides)});
  more.insert({"pads", std::move(pads)});
  more.insert({"dilations", std::move(dilations)});
  return more;
}
GraphBench::Attributes group(std::int64_t n) { return {{"group", n}}; }

void add_convolutions(Layers& l) {
  l.node("Conv", {l.x({2, 4, 5, 6}), l.x({6, 2, 3, 2}), l.x({6})}, {2, 6, 3, 7},
         window({3, 2}, {2, 1}, {1, 1, 1, 1}, {1, 1}, group(2)));
  l.node("Conv", {l.x({1, 3, 9}), l.w({4, 3, 3})}, {1, 4, 5}, window({3}, {1}, {0, 0}, {2}, group(1)));
  l.node("Conv", {l.x({1, 2, 3, 4, 3}), l.x({2, 1, 2, 2, 2})}, {1, 2, 2, 3, 2},
         window({2, 2, 2}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, group(2)));
  l.node("ConvTranspose", {l.x({1, 4, 3, 4}), l.x({4, 2, 3, 3}), l.x({4})}, {1, 4, 6, 12},
         window({3, 3}, {2, 3}, {1, 0, 1, 0}, {1, 1}, {{"group", std::int64_t{2}}, {"output_padding", Dims{1, 0}}}));
  l.node("ConvTranspose", {l.x({2, 2, 5}), l.w({2, 3, 4})}, {2, 3, 21}, window({4}, {4}, {2, 0}, {2}, group(1)));
  l.node("ConvTranspose", {l.x({1, 2, 2, 2, 3}), l.x({2, 1, 2, 1, 2})}, {1, 1, 3, 3, 8},
         window({2, 1, 2}, {1, 2, 3}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, group(1)));
  GraphBench::Attributes last{{"data_layout", std::string("NHWC")}, {"filter_layout", std::string("OHWI")}};
  l.node("ConvTranspose", {l.x({2, 3, 4, 2}), l.x({3, 3, 2, 2}), l.x({3})}, {2, 6, 7, 3},
         window({3, 2}, {2, 2}, {1, 1, 0, 0}, {1, 1}, last));
  last.insert({"activation", std::string("relu_n1_to_1")});
  last.insert({"group", std::int64_t{2}});
  l.node("ConvTranspose", {l.x({1, 4, 4}), l.w({2, 3, 4})}, {1, 9, 4}, window({3}, {2}, {0, 0}, {1}, last));
  l.node("DeformConv",
         {l.x({1, 4, 5, 5}), l.x({2, 2, 2, 3}), l.bench.reals_between(l.type, {1, 24, 4, 3}, -2, 2), l.x({2}),
          l.x({1, 12, 4, 3})},
         {1, 2, 4, 3},
         window({2, 3}, {1, 1}, {0, 0, 0, 0}, {1, 1}, {{"group", std::int64_t{2}}, {"offset_group", std::int64_t{2}}}));
}

void add_products(Layers& l) {
  l.node("MatMul", {l.x({2, 3, 4}), l.x({4, 5})}, {2, 3, 5});
  l.node("MatMul", {l.x({4}), l.x({3, 4, 5})}, {3, 5});
  l.node("MatMul", {l.x({2, 1, 3, 4}), l.x({5, 4, 2})}, {2, 5, 3, 2});
  l.node("MatMul", {l.w({4}), l.x({4})}, {});
  l.node("MatMul", {l.x({2, 2, 2, 2, 2, 3, 4}), l.x({2, 2, 2, 2, 2, 4, 1})}, {2, 2, 2, 2, 2, 3, 1});
  l.node("Gemm", {l.x({4, 3}), l.x({5, 4}), l.x({3, 1})}, {3, 5},
         {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}, {"alpha", 0.5f}, {"beta", 2.0f}});
}

void add_pools(Layers& l) {
  const auto both = window({3, 2}, {2, 1}, {1, 0, 1, 1}, {1, 2});
  GraphBench::Attributes counted = both, ceil = both, lp = both;
  counted.insert({"count_include_pad", std::int64_t{1}});
  ceil.insert({"ceil_mode", std::int64_t{1}});
  lp.insert({"p", std::int64_t{3}});
  l.node("AveragePool", {l.x({1, 2, 6, 5})}, {1, 2, 3, 4}, both, 19);
  l.node("AveragePool", {l.x({1, 2, 6, 5})}, {1, 2, 3, 4}, counted, 19);
  l.node("AveragePool", {l.x({1, 2, 7, 5})}, {1, 2, 4, 4}, ceil, 19);
  l.node("MaxPool", {l.x({1, 2, 6, 5})}, {1, 2, 3, 4}, both);
  l.node("LpPool", {l.x({1, 2, 6, 5})}, {1, 2, 3, 4}, lp, 18);
  l.node("GlobalAveragePool", {l.x({2, 3, 4, 5})}, {2, 3, 1, 1});
  l.node("GlobalMaxPool", {l.x({2, 3, 4})}, {2, 3, 1});
  l.node("GlobalLpPool", {l.x({2, 3, 2, 2, 2, 2})}, {2, 3, 1, 1, 1, 1}, {{"p", std::int64_t{1}}});
  for (const std::int64_t order : {0, 1})
    l.bench.layer("MaxPool", {l.x({2, 2, 4, 5})}, {{l.type, {2, 2, 3, 4}}, {DType::i64, {2, 2, 3, 4}}},
                  window({2, 2}, {1, 1}, {0, 0, 0, 0}, {1, 1}, {{"storage_order", order}}));
}

void add_normalisations(Layers& l) {
  const auto c = [&] { return l.x({4}); };
  l.node("InstanceNormalization", {l.x({2, 4, 3, 3}), c(), c()}, {2, 4, 3, 3});
  l.node("GroupNormalization", {l.x({2, 4, 5}), l.x({2}), l.x({2})}, {2, 4, 5}, {{"num_groups", std::int64_t{2}}}, 18);
  l.node("GroupNormalization", {l.x({2, 4, 5}), c(), c()}, {2, 4, 5}, {{"num_groups", std::int64_t{2}}}, 21);
  l.node("LayerNormalization", {l.x({2, 3, 4}), c(), l.x({3, 1})}, {2, 3, 4}, {{"axis", std::int64_t{1}}});
  const DType stash = l.type == DType::f64 ? DType::f64 : DType::f32;
  l.bench.layer("LayerNormalization", {l.x({3, 4}), c()}, {{l.type, {3, 4}}, {stash, {3, 1}}, {stash, {3, 1}}},
                {{"axis", std::int64_t{-1}}});
  l.node("MeanVarianceNormalization", {l.x({2, 3, 2, 4})}, {2, 3, 2, 4});
  l.node("MeanVarianceNormalization", {l.x({2, 3, 4})}, {2, 3, 4}, {{"axes", Dims{0, -1}}});
  l.node("LpNormalization", {l.x({2, 3, 4})}, {2, 3, 4}, {{"axis", std::int64_t{1}}, {"p", std::int64_t{1}}});
  l.node("LpNormalization", {l.x({2, 3, 4})}, {2, 3, 4});
  l.node("LRN", {l.x({2, 5, 3})}, {2, 5, 3}, {{"size", std::int64_t{4}}, {"alpha", 0.5f}, {"bias", 2.0f}});
  l.node("BatchNormalization", {l.x({2, 4, 3}), c(), c(), c(), l.positive({4})}, {2, 4, 3});
  l.bench.layer("BatchNormalization", {l.x({3, 4, 3}), c(), c(), c(), l.positive({4})},
                {{l.type, {3, 4, 3}}, {l.type, {4}}, {l.type, {4}}},
                {{"training_mode", std::int64_t{1}}, {"momentum", 0.75f}});
}

void add_recurrent(Layers& l) {
  constexpr std::int64_t kSteps = 4, kBatch = 3, kIn = 3, kHidden = 5;
  const auto weights = [&](std::int64_t gates, std::int64_t directions) {
    return std::vector<ir::ValueId>{l.w({directions, gates * kHidden, kIn}),
                                    l.x({directions, gates * kHidden, kHidden}),
                                    l.x({directions, 2 * gates * kHidden})};
  };
  const auto lengths = [&] { return l.bench.integers(DType::i32, {kBatch}, {4, 0, 2}, false); };
  const std::pair<DType, Dims> none{DType::undefined, {}};
  const Dims y{kSteps, 1, kBatch, kHidden}, h{1, kBatch, kHidden};
  const Dims y2{kBatch, kSteps, 2, kHidden}, h2{kBatch, 2, kHidden};
  auto w = weights(1, 1);
  l.bench.layer("RNN", {l.x({kSteps, kBatch, kIn}), w[0], w[1]}, {{l.type, y}, {l.type, h}});
  l.bench.layer("RNN", {l.x({kSteps, kBatch, kIn}), w[0], w[1], w[2], lengths(), l.x(h)}, {none, {l.type, h}},
                {{"direction", std::string("reverse")},
                 {"activations", std::vector<std::string>{"HardSigmoid"}},
                 {"activation_alpha", std::vector<float>{0.3f}},
                 {"clip", 0.75f}});
  for (const std::int64_t after : {0, 1}) {
    w = weights(3, 2);
    l.bench.layer("GRU", {l.x({kBatch, kSteps, kIn}), w[0], w[1], w[2], lengths(), l.x(h2)},
                  {{l.type, y2}, {l.type, h2}},
                  {{"direction", std::string("bidirectional")},
                   {"layout", std::int64_t{1}},
                   {"linear_before_reset", after},
                   {"activations", std::vector<std::string>{"Sigmoid", "ScaledTanh", "HardSigmoid", "Softsign"}},
                   {"activation_alpha", std::vector<float>{1.5f, 0.25f}},
                   {"activation_beta", std::vector<float>{0.5f}}});
  }
  w = weights(4, 1);
  l.bench.layer("LSTM",
                {l.x({kSteps, kBatch, kIn}), w[0], w[1], w[2], lengths(), l.x(h), l.x(h), l.x({1, 3 * kHidden})},
                {{l.type, y}, {l.type, h}, {l.type, h}});
  l.bench.layer("LSTM", {l.x({kSteps, kBatch, kIn}), w[0], w[1]}, {none, none, {l.type, h}},
                {{"input_forget", std::int64_t{1}},
                 {"activations", std::vector<std::string>{"Affine", "Elu", "Softplus"}},
                 {"activation_alpha", std::vector<float>{0.5f, 0.7f}},
                 {"activation_beta", std::vector<float>{0.1f}}});
}

void add_losses(Layers& l) {
  const auto labels = [&](DType t) { return l.bench.integers(t, {2, 3}, {0, 4, 2, 1, 1, 3}, false); };
  for (const char* reduction : {"none", "sum", "mean"}) {
    const Dims y = reduction == std::string("none") ? Dims{2, 3} : Dims{};
    GraphBench::Attributes a{{"reduction", std::string(reduction)}, {"ignore_index", std::int64_t{1}}};
    l.node("NegativeLogLikelihoodLoss", {l.x({2, 5, 3}), labels(DType::i32), l.positive({5})}, y, a);
    l.bench.layer("SoftmaxCrossEntropyLoss", {l.x({2, 5, 3}), labels(DType::i64)}, {{l.type, y}, {l.type, {2, 5, 3}}},
                  a);
  }
  if (l.type != DType::f32) return;
  for (const char* reduction : {"sum", "mean"}) {  // the infinite loss of an impossible label
    const float never = -std::numeric_limits<float>::infinity();
    l.node("NegativeLogLikelihoodLoss",
           {l.bench.reals({4, 2}, {0.5f, 1.5f, never, 2, 3, 4, 5, -1}, false),
            l.bench.integers(DType::i64, {4}, {0, 0, 1, 1}, false)},
           {}, {{"reduction", std::string(reduction)}});
  }
}

void add_signals(Layers& l) {
  const auto whole = [&](std::int64_t v) { return l.bench.integers(DType::i64, {}, {v}, true); };
  for (const std::int64_t n : {8, 6}) {
    l.node("DFT", {l.x({2, n, 3, 2}), ir::kNoValue, whole(1)}, {2, n, 3, 2}, {{"inverse", std::int64_t{1}}}, 20);
    l.node("DFT", {l.x({3, n, 1})}, {3, n / 2 + 1, 2}, {{"onesided", std::int64_t{1}}}, 20);
    l.node("DFT", {l.x({3, 7, 1}), whole(n)}, {3, n, 2}, {}, 20);
    l.node("STFT", {l.x({2, 20}), whole(3), l.w({n})}, {2, (20 - n) / 3 + 1, n / 2 + 1, 2});
    l.node("STFT", {l.x({2, 20, 2}), whole(3), ir::kNoValue, whole(n)}, {2, (20 - n) / 3 + 1, n, 2},
           {{"onesided", std::int64_t{0}}});
  }
}

// Of elements that are alike, or nearly so beside their size, little but rounding is left when the mean is taken away.
TEST(Layers, normalisesGroupsOfEqualElements) {
  Layers l(DType::f32);
  std::vector<float> x(2 * 117, -2.5604882f);
  for (std::size_t i = 117; i < x.size(); ++i) x[i] = 1000.0f + 0.01f * static_cast<float>(i % 7);
  const auto parameter = [&](float v) { return l.bench.reals({1}, {v}, true); };
  l.node("GroupNormalization", {l.bench.reals({2, 1, 117}, x, false), parameter(0.9f), parameter(-0.4f)}, {2, 1, 117},
         {{"num_groups", std::int64_t{1}}}, 21);
  EXPECT_EQ(l.check(), "");
}

// Lengths whose squares vanish or overflow, and groups that have none.
TEST(Layers, normalisesWhateverTheMagnitude) {
  constexpr float kMost = std::numeric_limits<float>::max(), kLeast = std::numeric_limits<float>::denorm_min();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const std::int64_t p : {1, 2}) {
    Layers l(DType::f32);
    l.node("LpNormalization",
           {l.bench.reals({6, 2}, {1e-40f, 0, 1e30f, -1e30f, kMost, kMost, 0, -0.0f, kLeast, kLeast, kInfinity, 3},
                          false)},
           {6, 2}, {{"p", p}});
    EXPECT_EQ(l.check(), "") << p;
  }
}

TEST(Layers, ofEveryFloatType) {
  for (const DType t : kFloats)
    for (const auto add :
         {add_convolutions, add_products, add_pools, add_normalisations, add_recurrent, add_losses, add_signals}) {
      Layers l(t);
      add(l);
      EXPECT_EQ(l.check(), "") << to_string(t);
    }
}

// Weights that are computed: of one group, of several, of a channel each.
TEST(Layers, convolutionsOverTheirImages) {
  for (const DType t : {DType::f16, DType::f32, DType::f64}) {
    Layers l(t, 3);
    for (const std::int64_t groups : {1, 2, 6})
      for (const std::int64_t stride : {1, 2}) {
        GraphBench::Attributes a = group(groups);
        a.insert({"data_layout", std::string("NHWC")});
        const std::int64_t height = stride == 1 ? 9 : 5, width = stride == 1 ? 8 : 4;
        l.node("Conv", {l.x({2, 9, 8, 6}), l.x({6, 6 / groups, 3, 3}), l.x({6})}, {2, height, width, 6},
               window({3, 3}, {stride, stride}, {1, 1, 1, 1}, {1, 1}, a));
      }
    const RunOptions over{.use_overlays = true};
    for (const Machine& machine : {host_machine("clang-19"), cortex_m4f()}) {
      EXPECT_EQ(l.bench.check(machine, over), "") << to_string(t);
      for (const codegen::Step& s : l.bench.run(machine, over).steps) EXPECT_EQ(s.overlays.size(), 1U) << s.kernel;
    }
  }
}

TEST(Layers, onAMicrocontrollerAndInCxx) {
  Machine cxx = host_machine("gcc");  // the generated C as C++, the driver as C
  cxx.is_cxx = true;
  for (const Machine& machine : {cortex_m4f(), cxx})
    for (const DType t : {DType::f16, DType::f32}) {
      Layers l(t, 2);
      for (const auto add : {add_convolutions, add_pools, add_normalisations, add_recurrent, add_losses, add_signals})
        add(l);
      EXPECT_EQ(l.bench.check(machine), "") << to_string(t);
    }
}

TEST(Layers, optimisers) {
  for (const DType t : {DType::f32, DType::f64})
    for (const std::int64_t updates : {0, 3}) {
      Layers l(t);
      const auto rate = l.positive({});
      const auto count = l.bench.integers(DType::i64, {}, {updates}, false);
      const auto add = [&](const std::string& op, std::size_t states, GraphBench::Attributes a) {
        std::vector<ir::ValueId> in{rate, count};
        std::vector<std::pair<DType, Dims>> out;
        const Dims shapes[] = {{3}, {2, 2}};
        for (std::size_t k = 0; k < states + 2; ++k)
          for (const Dims& d : shapes) in.push_back(k < 2 ? l.x(d) : l.positive(d));
        for (std::size_t k = 0; k < states + 1; ++k)
          for (const Dims& d : shapes) out.push_back({t, d});
        a.insert({"norm_coefficient", 0.25f});
        l.bench.layer("ai.onnx.preview.training." + op, in, out, std::move(a), 1);
      };
      add("Adagrad", 1, {{"decay_factor", 0.1f}, {"epsilon", 0.01f}});
      add("Adam", 2, {{"norm_coefficient_post", 0.1f}});
      for (const char* mode : {"standard", "nesterov"})
        add("Momentum", 1, {{"alpha", 0.9f}, {"beta", 0.5f}, {"mode", std::string(mode)}});
      EXPECT_EQ(l.check(), "") << to_string(t);
    }
}

TEST(Layers, integerProducts) {
  GraphBench bench(5);
  for (const DType x : {DType::i8, DType::u8})
    for (const DType w : {DType::i8, DType::u8}) {
      const auto zero = [&](DType t, const Dims& dims) { return bench.integers(t, dims, false); };
      const auto a = window({2, 3}, {1, 2}, {1, 0, 0, 1}, {1, 1}, group(2));
      bench.node("ConvInteger", {bench.integers(x, {1, 4, 4, 5}, false), bench.integers(w, {4, 2, 2, 3}, false)},
                 DType::i32, {1, 4, 4, 2}, a);
      bench.node(
          "ConvInteger",
          {bench.integers(x, {1, 4, 4, 5}, false), bench.integers(w, {4, 2, 2, 3}, true), zero(x, {}), zero(w, {4})},
          DType::i32, {1, 4, 4, 2}, a);
      bench.node("MatMulInteger",
                 {bench.integers(x, {2, 3, 4}, false), bench.integers(w, {4, 5}, false), zero(x, {3}), zero(w, {5})},
                 DType::i32, {2, 3, 5});
      bench.node("MatMulInteger",
                 {bench.integers(x, {2, 3, 4}, false), bench.integers(w, {2, 4, 5}, false), zero(x, {2, 3, 1}),
                  zero(w, {2, 1, 5})},
                 DType::i32, {2, 3, 5});
      bench.node("MatMulInteger", {bench.integers(x, {4}, false), bench.integers(w, {4, 5}, false)}, DType::i32, {5});
    }
  for (const DType t : {DType::i32, DType::u32, DType::i64, DType::u64})
    bench.node("MatMul", {bench.numbers(t, {2, 3}, false), bench.numbers(t, {3, 4}, false)}, t, {2, 4});
  for (const DType t : {DType::i32, DType::u64})
    bench.node("Gemm", {bench.numbers(t, {2, 3}, false), bench.numbers(t, {3, 4}, false), bench.numbers(t, {4}, false)},
               t, {2, 4}, {{"alpha", 3.0f}, {"beta", -2.0f}});
  EXPECT_EQ(bench.check(host_machine()), "");
}

TEST(Layers, quantisationThatIsComputedOrBlocked) {
  GraphBench bench(7);
  bench.tolerance = {1.0, 0.0};
  for (const DType real : {DType::f16, DType::bf16, DType::f32})
    for (const DType q : {DType::i8, DType::u8, DType::i16, DType::u16}) {
      const auto scale = [&](const Dims& dims) { return bench.reals_between(real, dims, 0.01, 0.1); };
      const auto x = [&] { return bench.numbers(real, {2, 5, 3}, false); };
      const GraphBench::Attributes blocks{{"axis", std::int64_t{1}}, {"block_size", std::int64_t{2}}};
      bench.node("QuantizeLinear", {x(), scale({}), bench.integers(q, {}, false)}, q, {2, 5, 3}, {}, 21);
      bench.node("QuantizeLinear", {x(), scale({3}), bench.integers(q, {3}, false)}, q, {2, 5, 3},
                 {{"axis", std::int64_t{-1}}}, 21);
      bench.node("QuantizeLinear", {x(), scale({2, 3, 3}), bench.integers(q, {2, 3, 3}, false)}, q, {2, 5, 3}, blocks,
                 21);
      const auto y = [&] { return bench.integers(q, {2, 5, 3}, false); };
      bench.node("DequantizeLinear", {y(), scale({5}), bench.integers(q, {5}, false)}, real, {2, 5, 3}, {}, 21);
      bench.node("DequantizeLinear", {y(), scale({2, 3, 3})}, real, {2, 5, 3}, blocks, 21);
    }
  bench.node("DequantizeLinear", {bench.integers(DType::i32, {4}, false), bench.reals({}, {0.5f}, false)}, DType::f32,
             {4});
  EXPECT_EQ(bench.check(host_machine()), "");
}

TEST(Layers, quantisedAtRunTime) {
  GraphBench bench(6);
  const DType types[] = {DType::i8, DType::u8, DType::i16, DType::u16};
  const auto scale = [&](const Dims& dims) { return bench.reals_between(DType::f32, dims, 0.001, 0.01); };
  for (const DType x : types)
    for (const DType w : types) {
      const DType y = types[bench.pick(0, 3)];
      const auto zero = [&](DType t, const Dims& dims) { return bench.integers(t, dims, false); };
      bench.node(
          "QLinearConv",
          {bench.integers(x, {1, 2, 4, 4}, false), scale({}), zero(x, {}), bench.integers(w, {3, 2, 2, 2}, false),
           scale({3}), zero(w, {3}), scale({}), zero(y, {}), bench.integers(DType::i32, {3}, {5, -7, 9}, false)},
          y, {1, 3, 3, 3}, window({2, 2}, {1, 1}, {0, 0, 0, 0}, {1, 1}, group(1)));
      bench.node("QLinearMatMul",
                 {bench.integers(x, {2, 3, 4}, false), scale({3}), zero(x, {3}), bench.integers(w, {4, 5}, false),
                  scale({5}), zero(w, {5}), scale({}), zero(y, {})},
                 y, {2, 3, 5});
    }
  bench.layer("DynamicQuantizeLinear", {bench.reals_between(DType::f32, {3, 4}, -1, 3)},
              {{DType::u8, {3, 4}}, {DType::f32, {}}, {DType::u8, {}}});
  bench.layer("DynamicQuantizeLinear", {bench.reals({2}, {0, 0}, false)},
              {{DType::u8, {2}}, {DType::f32, {}}, {DType::u8, {}}});
  EXPECT_EQ(bench.check(host_machine()), "");
}

}  // namespace
}  // namespace byoc::test
