// Element-wise operators, normalisations, reductions and fusions on f32 against their definitions.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/backend_c/float_bench.hpp"

namespace byoc::test {
namespace {

void add_unary(FloatBench& bench, const std::string& op, const std::function<double(double)>& f,
               Attributes attributes = {}, bool positive = false) {
  codegen::ValueId x = bench.input({3, 37});
  if (positive) {  // a computed operand that is positive: |x| + 0.1
    Numbers shifted = bench.numbers(x);
    for (double& v : shifted.data) v = std::abs(v);
    x = bench.node(make_node("Abs", {x}), shifted);
    for (double& v : shifted.data) v += static_cast<double>(0.1f);
    x = bench.node(make_node("Add", {x, bench.constant({1}, {0.1f})}), shifted);
  }
  Numbers y = bench.numbers(x);
  for (double& v : y.data) v = f(v);
  bench.node(make_node(op, {x}, std::move(attributes)), y);
}

void add_unaries(FloatBench& bench) {
  add_unary(bench, "Abs", [](double v) { return std::abs(v); });
  add_unary(bench, "Ceil", [](double v) { return std::ceil(v); });
  add_unary(bench, "Cos", [](double v) { return std::cos(v); });
  add_unary(bench, "Elu", [](double v) { return v < 0 ? 0.5 * std::expm1(v) : v; }, {{"alpha", 0.5f}});
  add_unary(bench, "Erf", [](double v) { return std::erf(v); });
  add_unary(bench, "Exp", [](double v) { return std::exp(v); });
  add_unary(bench, "Floor", [](double v) { return std::floor(v); });
  add_unary(bench, "HardSigmoid", [](double v) { return std::clamp(0.2 * v + 0.5, 0.0, 1.0); });
  add_unary(bench, "HardSwish", [](double v) { return v * std::clamp(v / 6 + 0.5, 0.0, 1.0); });
  add_unary(bench, "LeakyRelu", [](double v) { return v < 0 ? 0.01 * v : v; });
  add_unary(bench, "LeakyRelu", [](double v) { return v < 0 ? 0.25 * v : v; }, {{"alpha", 0.25f}});
  add_unary(bench, "Log", [](double v) { return std::log(v); }, {}, true);
  add_unary(bench, "Neg", [](double v) { return -v; });
  add_unary(bench, "Reciprocal", [](double v) { return 1 / v; }, {}, true);
  add_unary(bench, "Relu", [](double v) { return std::max(v, 0.0); });
  add_unary(bench, "Sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); });
  add_unary(bench, "Sin", [](double v) { return std::sin(v); });
  add_unary(bench, "Softplus", [](double v) { return std::log1p(std::exp(v)); });
  add_unary(bench, "Sqrt", [](double v) { return std::sqrt(v); }, {}, true);
  add_unary(bench, "Tanh", [](double v) { return std::tanh(v); });
}

void add_binary(FloatBench& bench, const std::string& op, const std::function<double(double, double)>& f, const Dims& a,
                const Dims& b, const Dims& out, Attributes attributes = {}) {
  const auto va = bench.pick(0, 3) ? bench.input(a) : bench.constant(a);
  const auto vb = bench.pick(0, 1) ? bench.input(b) : bench.constant(b);
  const Numbers na = bench.numbers(va), nb = bench.numbers(vb);
  Numbers y{out, {}};
  for (std::int64_t i = 0; i < y.size(); ++i) y.data.push_back(f(broadcast_at(na, out, i), broadcast_at(nb, out, i)));
  bench.node(make_node(op, {va, vb}, std::move(attributes)), y);
}

void add_binaries(FloatBench& bench) {
  const std::vector<std::vector<Dims>> shapes = {
      {{2, 3, 5}, {2, 3, 5}, {2, 3, 5}},
      {{2, 3, 5}, {5}, {2, 3, 5}},
      {{2, 3, 5}, {3, 1}, {2, 3, 5}},
      {{1}, {2, 3, 5}, {2, 3, 5}},
      {{2, 1, 5}, {1, 3, 1}, {2, 3, 5}},
      {{}, {}, {}},
      {{4, 1, 3, 1, 2, 1}, {1, 2, 1, 3, 1, 2}, {4, 2, 3, 3, 2, 2}},
  };
  for (const auto& s : shapes) {
    add_binary(bench, "Add", [](double u, double v) { return u + v; }, s[0], s[1], s[2]);
    add_binary(bench, "Sub", [](double u, double v) { return u - v; }, s[0], s[1], s[2]);
    add_binary(bench, "Mul", [](double u, double v) { return u * v; }, s[0], s[1], s[2]);
    add_binary(bench, "Div", [](double u, double v) { return u / v; }, s[0], s[1], s[2]);
    add_binary(bench, "Max", [](double u, double v) { return std::max(u, v); }, s[0], s[1], s[2]);
    add_binary(bench, "Min", [](double u, double v) { return std::min(u, v); }, s[0], s[1], s[2]);
  }
  add_binary(bench, "Add", [](double u, double v) { return std::clamp(u + v, -1.0, 1.0); }, {7, 9}, {9}, {7, 9},
             {{"activation", std::string("relu_n1_to_1")}});
  add_binary(bench, "PRelu", [](double u, double v) { return u < 0 ? u * v : u; }, {2, 3, 5}, {3, 1}, {2, 3, 5});
}

void add_sum(FloatBench& bench) {
  const auto a = bench.input({3, 5}), b = bench.input({5}), c = bench.input({3, 1}), d = bench.input({3, 5});
  Numbers y{{3, 5}, {}};
  for (std::int64_t i = 0; i < 15; ++i) {
    double sum = 0;
    for (auto v : {a, b, c, d}) sum += broadcast_at(bench.numbers(v), y.dims, i);
    y.data.push_back(sum);
  }
  bench.node(make_node("Sum", {a, b, c, d}), y);
}

void add_softmax(FloatBench& bench, const Dims& dims, std::int64_t axis, std::int64_t version, float beta) {
  const auto x = bench.input(dims);
  Numbers y = bench.numbers(x);
  std::int64_t outer = 1, count = 1, inner = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    (at < axis ? outer : version < 13 || at == axis ? count : inner) *= dims[i];
  }
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      double sum = 0;
      const auto at = [&](std::int64_t k) { return static_cast<std::size_t>((o * count + k) * inner + i); };
      for (std::int64_t k = 0; k < count; ++k) sum += std::exp(beta * y.data[at(k)]);
      for (std::int64_t k = 0; k < count; ++k) y.data[at(k)] = std::exp(beta * y.data[at(k)]) / sum;
    }
  auto node = make_node("Softmax", {x}, {{"axis", axis}, {"beta", beta}});
  node.version = version;
  bench.node(node, y);
}

void add_batch_normalization(FloatBench& bench) {
  const auto x = bench.input({2, 5, 3, 4});
  const auto gain = bench.constant({5}), offset = bench.constant({5}), mean = bench.constant({5});
  const auto variance = bench.constant({5}, {0.5f, 1.0f, 2.0f, 0.1f, 3.0f});
  Numbers y = bench.numbers(x);
  for (std::size_t i = 0; i < y.data.size(); ++i) {
    const std::size_t c = i / 12 % 5;
    y.data[i] = (y.data[i] - bench.numbers(mean).data[c]) / std::sqrt(bench.numbers(variance).data[c] + 1e-3) *
                    bench.numbers(gain).data[c] +
                bench.numbers(offset).data[c];
  }
  bench.node(make_node("BatchNormalization", {x, gain, offset, mean, variance}, {{"epsilon", 1e-3f}}), y);
}

void add_reductions(FloatBench& bench) {
  for (const auto& axes : std::vector<Dims>{{0}, {1}, {-1}, {0, 2}, {1, 2}, {0, 1, 2, 3}, {}})
    for (const char* op : {"ReduceMean", "ReduceSum"}) {
      const Dims dims{2, 3, 4, 5};
      const auto x = bench.input(dims);
      const Numbers xs = bench.numbers(x);
      Dims kept = dims;
      for (std::int64_t a : axes) kept[static_cast<std::size_t>(a < 0 ? a + 4 : a)] = 1;
      if (axes.empty()) kept = {1, 1, 1, 1};
      Numbers y{kept, {}};
      y.data.resize(static_cast<std::size_t>(y.size()));
      for (std::int64_t i = 0; i < 120; ++i) {
        const std::int64_t index[] = {i / 60, i / 20 % 3, i / 5 % 4, i % 5};
        std::int64_t at = 0;
        for (std::size_t d = 0; d < 4; ++d) at = at * kept[d] + (kept[d] == 1 ? 0 : index[d]);
        y.data[static_cast<std::size_t>(at)] += xs.data[static_cast<std::size_t>(i)];
      }
      if (op == std::string("ReduceMean"))
        for (double& v : y.data) v /= 120.0 / static_cast<double>(y.size());
      bench.node(make_node(op, axes.empty() ? std::vector<codegen::ValueId>{x}
                                            : std::vector<codegen::ValueId>{x, bench.integers(axes)}),
                 y);
    }
}

void add_global_pools(FloatBench& bench) {
  for (const bool nhwc : {true, false}) {
    const auto x = bench.input(nhwc ? Dims{2, 5, 6, 3} : Dims{2, 3, 5, 6});
    const Numbers xs = bench.numbers(x);
    Numbers mean{nhwc ? Dims{2, 1, 1, 3} : Dims{2, 3, 1, 1}, std::vector<double>(6)};
    Numbers most{mean.dims, std::vector<double>(6, -10.0)};
    for (std::int64_t i = 0; i < 180; ++i) {
      const auto at = static_cast<std::size_t>(nhwc ? i / 90 * 3 + i % 3 : i / 30);
      mean.data[at] += xs.data[static_cast<std::size_t>(i)] / 30;
      most.data[at] = std::max(most.data[at], xs.data[static_cast<std::size_t>(i)]);
    }
    const Attributes layout{{"data_layout", std::string(nhwc ? "NHWC" : "NCHW")}};
    bench.node(make_node("GlobalAveragePool", {x}, layout), mean);
    bench.node(make_node("GlobalMaxPool", {x}, layout), most);
  }
}

// A clamp after its only producer is part of it; after a producer with two readers it stands alone.
void add_fusions(FloatBench& bench) {
  const auto a = bench.input({4, 6}), b = bench.input({4, 6});
  const Numbers na = bench.numbers(a), nb = bench.numbers(b);
  Numbers sum{{4, 6}, {}}, relu{{4, 6}, {}}, clip{{4, 6}, {}}, negated{{4, 6}, {}};
  for (std::size_t i = 0; i < na.data.size(); ++i) {
    sum.data.push_back(na.data[i] + nb.data[i]);
    relu.data.push_back(std::max(0.0, sum.data[i]));
    clip.data.push_back(std::clamp(sum.data[i], -0.25, 0.5));
    negated.data.push_back(-sum.data[i]);
  }
  bench.node(make_node("Relu", {bench.node(make_node("Add", {a, b}), sum)}), relu);
  const auto lo = bench.constant({}, {-0.25f}), hi = bench.constant({}, {0.5f});
  bench.node(make_node("Clip", {bench.node(make_node("Add", {a, b}), sum), lo, hi}), clip);
  const auto shared = bench.node(make_node("Add", {a, b}), sum);
  bench.node(make_node("Relu", {shared}), relu);
  bench.node(make_node("Neg", {shared}), negated);
  bench.node(make_node("Clip", {a, lo, hi}), [&] {
    Numbers y = na;
    for (double& v : y.data) v = std::clamp(v, -0.25, 0.5);
    return y;
  }());
}

void add_elementwise(FloatBench& bench) {
  add_unaries(bench);
  add_binaries(bench);
  add_sum(bench);
  add_softmax(bench, {3, 7}, 1, 13, 1.0f);
  add_softmax(bench, {3, 7, 2}, 1, 13, 2.0f);
  add_softmax(bench, {3, 7, 2}, 1, 9, 1.0f);
  add_batch_normalization(bench);
  add_reductions(bench);
  add_global_pools(bench);
  add_fusions(bench);
}

TEST(FloatElementwise, onTheHost) {
  FloatBench bench(11);
  add_elementwise(bench);
  EXPECT_EQ(bench.check(host_machine()), "");
}

TEST(FloatElementwise, inPlaceWhereTheStepsSaySo) {
  FloatBench bench(12);
  for (int i = 0; i < 4; ++i) {
    const auto x = bench.input({5, 9}), y = bench.input({5, 9});
    Numbers n = bench.numbers(x), m = bench.numbers(y);
    for (double& v : n.data) v = -v;
    const auto negated = bench.node(make_node("Neg", {x}), n);
    for (double& v : m.data) v = std::tanh(v);
    const auto squashed = bench.node(make_node("Tanh", {y}), m);
    for (std::size_t k = 0; k < n.data.size(); ++k) n.data[k] = std::exp(n.data[k] + m.data[k]);
    Numbers sum = m;
    for (std::size_t k = 0; k < n.data.size(); ++k) sum.data[k] = std::log(n.data[k]);
    const auto added = bench.node(make_node("Add", {negated, squashed}), sum);
    bench.node(make_node("Exp", {added}), n);
  }
  EXPECT_EQ(bench.check(host_machine(), {.use_overlays = true}), "");
  EXPECT_EQ(bench.check(cortex_m55(true), {.use_overlays = true}), "");
}

TEST(FloatElementwise, onCortexM4) {
  FloatBench bench(13);
  add_elementwise(bench);
  EXPECT_EQ(bench.check(cortex_m4f()), "");
}

TEST(FloatElementwise, onCortexM55) {
  FloatBench bench(14);
  add_elementwise(bench);
  EXPECT_EQ(bench.check(cortex_m55(true)), "");
}

}  // namespace
}  // namespace byoc::test
