// Conv, products and pools on f32 against their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/unit/backend_c/float_bench.hpp"

namespace byoc::test {
namespace {

// A sliding-kernel case with two spatial dims.
struct PoolWindow {
  bool nhwc;
  std::int64_t batch, channels, in[2], kernel[2], stride[2], dilation[2], pad[4], out[2];

  static PoolWindow random(FloatBench& bench, bool nhwc) {
    PoolWindow w{};
    w.nhwc = nhwc;
    w.batch = bench.pick(1, 2);
    w.channels = bench.pick(1, 9);
    for (int i = 0; i < 2; ++i) {
      w.kernel[i] = bench.pick(1, 4);
      w.stride[i] = bench.pick(1, 3);
      w.dilation[i] = bench.pick(1, 2);
      w.pad[i] = bench.pick(0, w.kernel[i] - 1);
      w.pad[i + 2] = bench.pick(0, w.kernel[i] - 1);
      w.in[i] = bench.pick((w.kernel[i] - 1) * w.dilation[i] + 1, 11);
    }
    w.size();
    return w;
  }
  void size() {
    for (int i = 0; i < 2; ++i)
      out[i] = (in[i] + pad[i] + pad[i + 2] - (kernel[i] - 1) * dilation[i] - 1) / stride[i] + 1;
  }
  [[nodiscard]] Dims dims(const std::int64_t (&hw)[2], std::int64_t c) const {
    return nhwc ? Dims{batch, hw[0], hw[1], c} : Dims{batch, c, hw[0], hw[1]};
  }
  [[nodiscard]] std::size_t at(const std::int64_t (&hw)[2], std::int64_t all, std::int64_t n, std::int64_t c,
                               std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>(nhwc ? ((n * hw[0] + y) * hw[1] + x) * all + c
                                         : ((n * all + c) * hw[0] + y) * hw[1] + x);
  }
  [[nodiscard]] std::map<std::string, codegen::Attribute, std::less<>> attributes() const {
    return {{"kernel_shape", Dims{kernel[0], kernel[1]}},
            {"strides", Dims{stride[0], stride[1]}},
            {"dilations", Dims{dilation[0], dilation[1]}},
            {"pads", Dims{pad[0], pad[1], pad[2], pad[3]}},
            {"data_layout", std::string(nhwc ? "NHWC" : "NCHW")}};
  }
};

codegen::ValueId add_conv(FloatBench& bench, const PoolWindow& w, std::int64_t groups, std::int64_t outputs,
                          const std::string& filter, bool with_bias, const std::string& activation) {
  const std::int64_t inner = w.channels / groups;
  const auto x = bench.input(w.dims(w.in, w.channels));
  const auto weights = filter == "OIHW"   ? bench.constant({outputs, inner, w.kernel[0], w.kernel[1]})
                       : filter == "OHWI" ? bench.constant({outputs, w.kernel[0], w.kernel[1], inner})
                                          : bench.constant({1, w.kernel[0], w.kernel[1], outputs});
  const auto bias = with_bias ? bench.constant({outputs}) : codegen::kNoValue;
  const Numbers xs = bench.numbers(x), ws = bench.numbers(weights);
  Numbers y{w.dims(w.out, outputs), {}};
  y.data.resize(static_cast<std::size_t>(y.size()));
  for (std::int64_t n = 0; n < w.batch; ++n)
    for (std::int64_t o = 0; o < outputs; ++o)
      for (std::int64_t i = 0; i < w.out[0]; ++i)
        for (std::int64_t j = 0; j < w.out[1]; ++j) {
          double sum = with_bias ? bench.numbers(bias).data[static_cast<std::size_t>(o)] : 0.0;
          for (std::int64_t c = 0; c < inner; ++c)
            for (std::int64_t ky = 0; ky < w.kernel[0]; ++ky)
              for (std::int64_t kx = 0; kx < w.kernel[1]; ++kx) {
                const std::int64_t iy = i * w.stride[0] + ky * w.dilation[0] - w.pad[0];
                const std::int64_t ix = j * w.stride[1] + kx * w.dilation[1] - w.pad[1];
                if (iy < 0 || iy >= w.in[0] || ix < 0 || ix >= w.in[1]) continue;
                const std::int64_t from = o / (outputs / groups) * inner + c;
                const std::int64_t k = filter == "OIHW"   ? ((o * inner + c) * w.kernel[0] + ky) * w.kernel[1] + kx
                                       : filter == "OHWI" ? ((o * w.kernel[0] + ky) * w.kernel[1] + kx) * inner + c
                                                          : (ky * w.kernel[1] + kx) * outputs + o;
                sum += xs.data[w.at(w.in, w.channels, n, from, iy, ix)] * ws.data[static_cast<std::size_t>(k)];
              }
          if (activation != "none") sum = std::max(sum, activation == "relu_n1_to_1" ? -1.0 : 0.0);
          if (activation == "relu6") sum = std::min(sum, 6.0);
          if (activation == "relu_n1_to_1") sum = std::min(sum, 1.0);
          y.data[w.at(w.out, outputs, n, o, i, j)] = sum;
        }
  auto attributes = w.attributes();
  attributes["group"] = groups;
  attributes["filter_layout"] = filter;
  attributes["activation"] = activation;
  return bench.node(make_node("Conv", {x, weights, bias}, attributes), y);
}

void add_random_convs(FloatBench& bench, int count) {
  const std::string activations[] = {"none", "relu", "relu6", "relu_n1_to_1"};
  for (int i = 0; i < count; ++i) {
    PoolWindow w = PoolWindow::random(bench, i % 2 == 0);
    const std::string& activation = activations[bench.pick(0, 3)];
    const bool bias = bench.pick(0, 2) != 0;
    const bool onnx = bench.pick(0, 1) == 0;
    switch (i % 4) {
      case 0:
      case 1: add_conv(bench, w, 1, bench.pick(1, 11), onnx ? "OIHW" : "OHWI", bias, activation); break;
      case 2:
        add_conv(bench, w, w.channels, w.channels * bench.pick(1, 2), onnx ? "OIHW" : "IHWO", bias, activation);
        break;
      default:
        w.channels = 2 * bench.pick(1, 5);
        add_conv(bench, w, bench.pick(0, 1) ? w.channels : 2, 2 * w.channels / 2, "OIHW", bias, activation);
    }
  }
  // Pointwise over enough pixels to fill blocks, and rows of a depthwise 3x3 without and with borders.
  for (const bool nhwc : {true, false}) {
    PoolWindow w{nhwc, 1, 5, {5, 7}, {1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, {0, 0}};
    w.size();
    add_conv(bench, w, 1, 9, "OIHW", true, "relu");
    PoolWindow d{nhwc, 1, 10, {9, 13}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, {0, 0}};
    d.size();
    add_conv(bench, d, 10, 10, "OIHW", true, "relu");
    d.stride[0] = d.stride[1] = 2;
    d.size();
    add_conv(bench, d, 10, 10, "OIHW", true, "none");
  }
}

void add_random_pools(FloatBench& bench, int count) {
  for (int i = 0; i < count; ++i) {
    const PoolWindow w = PoolWindow::random(bench, i % 2 == 0);
    const bool is_max = i % 4 < 2, count_pads = bench.pick(0, 1) != 0;
    const auto x = bench.input(w.dims(w.in, w.channels));
    const Numbers xs = bench.numbers(x);
    Numbers y{w.dims(w.out, w.channels), {}};
    y.data.resize(static_cast<std::size_t>(y.size()));
    for (std::int64_t n = 0; n < w.batch; ++n)
      for (std::int64_t c = 0; c < w.channels; ++c)
        for (std::int64_t r = 0; r < w.out[0]; ++r)
          for (std::int64_t s = 0; s < w.out[1]; ++s) {
            double most = -std::numeric_limits<double>::infinity(), sum = 0;
            int taps = 0;
            for (std::int64_t ky = 0; ky < w.kernel[0]; ++ky)
              for (std::int64_t kx = 0; kx < w.kernel[1]; ++kx) {
                const std::int64_t iy = r * w.stride[0] + ky * w.dilation[0] - w.pad[0];
                const std::int64_t ix = s * w.stride[1] + kx * w.dilation[1] - w.pad[1];
                const bool inside = iy >= 0 && iy < w.in[0] && ix >= 0 && ix < w.in[1];
                if (inside || count_pads) ++taps;
                if (!inside) continue;
                const double v = xs.data[w.at(w.in, w.channels, n, c, iy, ix)];
                most = std::max(most, v);
                sum += v;
              }
            y.data[w.at(w.out, w.channels, n, c, r, s)] = is_max ? most : sum / taps;
          }
    // A window that lies in the padding alone has no average.
    bool defined = true;
    for (double v : y.data) defined = defined && std::isfinite(v);
    if (!defined) continue;
    auto attributes = w.attributes();
    if (!is_max) attributes["count_include_pad"] = std::int64_t{count_pads};
    bench.node(make_node(is_max ? "MaxPool" : "AveragePool", {x}, attributes), y);
  }
}

// y = alpha * a * b + c over [rows, depth] and [depth, columns]; operands as they are stored.
void add_gemm(FloatBench& bench, std::int64_t rows, std::int64_t depth, std::int64_t columns, bool trans_a,
              bool trans_b, bool constant_b, int c_rank) {
  const auto a = bench.input(trans_a ? Dims{depth, rows} : Dims{rows, depth});
  const Dims b_dims = trans_b ? Dims{columns, depth} : Dims{depth, columns};
  const auto b = constant_b ? bench.constant(b_dims) : bench.input(b_dims);
  const auto c = c_rank < 0    ? codegen::kNoValue
                 : c_rank == 0 ? bench.constant({})
                 : c_rank == 1 ? bench.constant({columns})
                 : c_rank == 2 ? bench.input({rows, columns})
                               : bench.constant({rows, 1});
  const Numbers as = bench.numbers(a), bs = bench.numbers(b);
  Numbers y{{rows, columns}, {}};
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < depth; ++k)
        sum += as.data[static_cast<std::size_t>(trans_a ? k * rows + i : i * depth + k)] *
               bs.data[static_cast<std::size_t>(trans_b ? j * depth + k : k * columns + j)];
      const std::int64_t at = c_rank <= 0 ? 0 : c_rank == 1 ? j : c_rank == 2 ? i * columns + j : i;
      y.data.push_back(0.5 * sum + (c_rank < 0 ? 0.0 : 0.25 * bench.numbers(c).data[static_cast<std::size_t>(at)]));
    }
  bench.node(
      make_node(
          "Gemm", {a, b, c},
          {{"transA", std::int64_t{trans_a}}, {"transB", std::int64_t{trans_b}}, {"alpha", 0.5f}, {"beta", 0.25f}}),
      y);
}

void add_gemms(FloatBench& bench) {
  for (int i = 0; i < 24; ++i)
    add_gemm(bench, i % 3 == 0 ? 1 : bench.pick(2, 13), bench.pick(1, 33), bench.pick(1, 19), i % 2, i / 2 % 2,
             i % 5 != 0, i % 5 - 1);
}

void add_fully_connected(FloatBench& bench) {
  for (std::int64_t rows : {1, 3, 4, 9}) {
    const std::int64_t depth = 21, units = rows + 6;
    const auto x = bench.input({rows, 3, 7});
    const auto w = bench.constant({units, depth}), b = bench.constant({units});
    const Numbers xs = bench.numbers(x), ws = bench.numbers(w), bs = bench.numbers(b);
    Numbers y{{rows, units}, {}};
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < units; ++j) {
        double sum = bs.data[static_cast<std::size_t>(j)];
        for (std::int64_t k = 0; k < depth; ++k)
          sum += xs.data[static_cast<std::size_t>(i * depth + k)] * ws.data[static_cast<std::size_t>(j * depth + k)];
        y.data.push_back(std::max(0.0, sum));
      }
    auto node = make_node("FullyConnected", {x, w, b}, {{"activation", std::string("relu")}});
    node.domain = "byoc";
    bench.node(node, y);
  }
}

void add_matmul(FloatBench& bench, const Dims& a_dims, const Dims& b_dims, const Dims& y_dims, bool constant_b) {
  const auto a = bench.input(a_dims);
  const auto b = constant_b ? bench.constant(b_dims) : bench.input(b_dims);
  const Numbers as = bench.numbers(a), bs = bench.numbers(b);
  // Two batch dims at most, written out.
  const auto batch = [](const Dims& d, std::size_t from_end) {
    return d.size() >= from_end ? d[d.size() - from_end] : 1;
  };
  const std::int64_t m = a_dims[a_dims.size() - 2], k = a_dims.back(), n = b_dims.back();
  Numbers y{y_dims, {}};
  const std::int64_t outer = std::max(batch(a_dims, 4), batch(b_dims, 4)),
                     inner = std::max(batch(a_dims, 3), batch(b_dims, 3));
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      const std::int64_t ba = (batch(a_dims, 4) == 1 ? 0 : o) * batch(a_dims, 3) + (batch(a_dims, 3) == 1 ? 0 : i);
      const std::int64_t bb = (batch(b_dims, 4) == 1 ? 0 : o) * batch(b_dims, 3) + (batch(b_dims, 3) == 1 ? 0 : i);
      for (std::int64_t r = 0; r < m; ++r)
        for (std::int64_t c = 0; c < n; ++c) {
          double sum = 0;
          for (std::int64_t l = 0; l < k; ++l)
            sum += as.data[static_cast<std::size_t>((ba * m + r) * k + l)] *
                   bs.data[static_cast<std::size_t>((bb * k + l) * n + c)];
          y.data.push_back(sum);
        }
    }
  bench.node(make_node("MatMul", {a, b}), y);
}

// x * w + c with x [2, 5, 3] and w [3, 6], and a Relu behind it. The product adds a c of one element for each column by
// itself, unless something else reads the product.
void add_biased_matmul(FloatBench& bench, const Dims& bias, bool is_shared) {
  const auto x = bench.input({2, 5, 3}), w = bench.constant({3, 6}), c = bench.constant(bias);
  const Numbers xs = bench.numbers(x), ws = bench.numbers(w), cs = bench.numbers(c);
  Numbers product{{2, 5, 6}, {}}, sum = product, relu = product, negated = product;
  for (std::size_t i = 0; i < 60; ++i) {
    double v = 0;
    for (std::size_t k = 0; k < 3; ++k) v += xs.data[i / 6 * 3 + k] * ws.data[k * 6 + i % 6];
    product.data.push_back(v);
    negated.data.push_back(-v);
    sum.data.push_back(v + broadcast_at(cs, product.dims, static_cast<std::int64_t>(i)));
    relu.data.push_back(std::max(sum.data.back(), 0.0));
  }
  const auto y = bench.node(make_node("MatMul", {x, w}), product);
  const auto added = bench.node(make_node("Add", is_shared ? std::vector{y, c} : std::vector{c, y}), sum);
  bench.node(make_node("Relu", {added}), relu);
  if (is_shared) bench.node(make_node("Neg", {y}), negated);
}

void add_matmuls(FloatBench& bench) {
  add_matmul(bench, {3, 5}, {5, 6}, {3, 6}, true);
  add_matmul(bench, {3, 5}, {5, 6}, {3, 6}, false);
  add_matmul(bench, {2, 3, 5}, {5, 6}, {2, 3, 6}, true);
  add_matmul(bench, {2, 3, 5}, {2, 5, 6}, {2, 3, 6}, true);
  add_matmul(bench, {2, 1, 3, 5}, {4, 5, 6}, {2, 4, 3, 6}, false);
  add_matmul(bench, {4, 3, 5}, {2, 1, 5, 3}, {2, 4, 3, 3}, false);
  for (const Dims& bias : {Dims{6}, Dims{1, 1, 6}, Dims{5, 1}, Dims{1}, Dims{2, 1, 6}})
    for (const bool is_shared : {false, true}) add_biased_matmul(bench, bias, is_shared);
}

TEST(FloatProducts, addABiasThemselves) {
  FloatBench bench(31);
  add_biased_matmul(bench, {6}, false);
  EXPECT_EQ(bench.check(host_machine()), "");
  EXPECT_EQ(bench.result().steps.size(), 1u);
}

void add_everything(FloatBench& bench, int count) {
  add_random_convs(bench, count);
  add_random_pools(bench, count / 2);
  add_gemms(bench);
  add_fully_connected(bench);
  add_matmuls(bench);
}

TEST(FloatProducts, onTheHostWithGcc) {
  FloatBench bench(1);
  add_everything(bench, 120);
  EXPECT_EQ(bench.check(host_machine("gcc")), "");
}

TEST(FloatProducts, onTheHostWithClang) {
  FloatBench bench(2);
  add_everything(bench, 120);
  EXPECT_EQ(bench.check(host_machine("clang-19")), "");
}

// Each over its input, at its lead.
TEST(FloatProducts, whereTheirInputsWere) {
  FloatBench bench(7);
  add_random_convs(bench, 80);
  add_random_pools(bench, 80);
  for (const Machine& machine : {host_machine("clang-19"), host_machine("gcc"), cortex_m4f(true), cortex_m55(true)}) {
    EXPECT_EQ(bench.check(machine, {.use_overlays = true}), "");
    const auto& steps = bench.result().steps;
    EXPECT_GT(std::count_if(steps.begin(), steps.end(), [](const auto& s) { return !s.overlays.empty(); }), 60);
  }
}

TEST(FloatProducts, compileAsCxx) {
  FloatBench bench(3);
  add_everything(bench, 8);
  Machine machine = host_machine("gcc");
  machine.is_cxx = true;
  EXPECT_EQ(bench.check(machine), "");
}

TEST(FloatProducts, onCortexM4) {
  FloatBench bench(4);
  add_everything(bench, 60);
  EXPECT_EQ(bench.check(cortex_m4f()), "");
  EXPECT_EQ(bench.check(cortex_m4f(true)), "");
}

TEST(FloatProducts, onCortexM55) {
  FloatBench bench(5);
  add_everything(bench, 60);
  EXPECT_EQ(bench.check(cortex_m55()), "");
  EXPECT_EQ(bench.check(cortex_m55(true)), "");
}

TEST(FloatProducts, inSoftwareOnCortexM0) {
  FloatBench bench(6);
  add_everything(bench, 12);
  EXPECT_EQ(bench.check(cortex_m0plus()), "");
}

}  // namespace
}  // namespace byoc::test
