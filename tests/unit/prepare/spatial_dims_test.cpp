// Convolutions and pools with more than three spatial dims against their definition, tap by tap.
#include <cmath>
#include <functional>
#include <random>

#include "sdk/model/evaluate/evaluate.hpp"
#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

using Dims = std::vector<std::int64_t>;

std::string list(const Dims& dims) {
  std::string out;
  for (const std::int64_t d : dims) out += (out.empty() ? "" : ",") + std::to_string(d);
  return out;
}

std::int64_t product(const Dims& dims) {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= d;
  return n;
}

// Every index of a box, the last fastest.
void for_each_index(const Dims& dims, const std::function<void(const Dims&)>& f) {
  Dims at(dims.size(), 0);
  for (std::int64_t left = product(dims); left > 0; --left) {
    f(at);
    for (std::size_t d = dims.size(); d-- > 0;) {
      if (++at[d] < dims[d]) break;
      at[d] = 0;
    }
  }
}

std::size_t place(const Dims& dims, const Dims& at) {
  std::int64_t n = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) n = n * dims[d] + at[d];
  return static_cast<std::size_t>(n);
}

// A layer of random geometry.
struct Layer {
  std::mt19937 random;
  std::size_t rank;  // spatial dims
  std::int64_t batch, groups, group_in, group_out;
  Dims in, kernel, stride, dilation, begin, end, out;

  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(high - low + 1));
  }

  Layer(std::uint32_t seed, bool transposed) : random(seed), rank(4 + seed % 2) {
    batch = draw(1, 2), groups = draw(1, 2), group_in = draw(1, 2), group_out = draw(1, 2);
    for (std::size_t d = 0; d < rank; ++d) {
      kernel.push_back(draw(1, 3)), stride.push_back(draw(1, 2)), dilation.push_back(draw(1, 2));
      begin.push_back(draw(0, kernel[d] - 1)), end.push_back(draw(0, kernel[d] - 1));
      const std::int64_t reach = (kernel[d] - 1) * dilation[d] + 1;
      in.push_back(transposed ? draw(1, 3) : std::max<std::int64_t>(reach - begin[d] - end[d], 1) + draw(0, 2));
      if (transposed && (in[d] - 1) * stride[d] + reach - begin[d] - end[d] < 1) begin[d] = end[d] = 0;
      out.push_back(transposed ? (in[d] - 1) * stride[d] + reach - begin[d] - end[d]
                               : (in[d] + begin[d] + end[d] - reach) / stride[d] + 1);
    }
  }

  [[nodiscard]] std::string attributes() const {
    Dims pads = begin;
    pads.insert(pads.end(), end.begin(), end.end());
    return "kernel_shape=[" + list(kernel) + "], strides=[" + list(stride) + "], dilations=[" + list(dilation) +
           "], pads=[" + list(pads) + "]";
  }
  // The element of the input along dim d that tap k of output o reads; may be none.
  [[nodiscard]] std::int64_t read(std::size_t d, std::int64_t o, std::int64_t k) const {
    return o * stride[d] - begin[d] + k * dilation[d];
  }
};

Dims with(std::int64_t a, std::int64_t b, const Dims& rest) {
  Dims out{a, b};
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

std::vector<float> numbers(Layer& layer, std::int64_t count) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<float>(layer.draw(-8, 8)) / 4);
  return out;
}

evaluate::Tensor tensor(const Dims& dims, const std::vector<float>& elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(float));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return {{DType::f32, dims}, Blob::own(std::move(bytes))};
}

void expect_result(const std::string& statements, const std::vector<evaluate::Tensor>& inputs, const Dims& dims,
                   const std::vector<double>& expected) {
  ir::Graph g = graph_of(statements);
  Diagnostics diags;
  ASSERT_TRUE(prepare(g, {}, diags)) << all_errors(diags) << statements;
  const auto found = evaluate::run(g, inputs, diags);
  ASSERT_TRUE(found) << all_errors(diags) << statements;
  EXPECT_EQ(*(*found)[0].type.dims, dims) << statements;
  std::vector<float> y(expected.size());
  ASSERT_EQ((*found)[0].bytes.size(), y.size() * sizeof(float)) << statements;
  std::memcpy(y.data(), (*found)[0].bytes.data(), y.size() * sizeof(float));
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-4) << i << statements;
}

void convolution(std::uint32_t seed, bool transposed) {
  Layer l(seed, transposed);
  const Dims x_dims = with(l.batch, l.groups * l.group_in, l.in), y_dims = with(l.batch, l.groups * l.group_out, l.out);
  const Dims w_dims = transposed ? with(l.groups * l.group_in, l.group_out, l.kernel)
                                 : with(l.groups * l.group_out, l.group_in, l.kernel);
  const std::vector<float> x = numbers(l, product(x_dims)), w = numbers(l, product(w_dims)), b = numbers(l, y_dims[1]);
  std::vector<double> y(static_cast<std::size_t>(product(y_dims)));
  for_each_index(y_dims, [&](const Dims& at) { y[place(y_dims, at)] = b[static_cast<std::size_t>(at[1])]; });
  // Each tap joins a small and a large position: the input's and the output's, or the other way round.
  const Dims& outer = transposed ? l.in : l.out;
  const Dims& inner = transposed ? l.out : l.in;
  for_each_index(with(l.batch, l.groups, outer), [&](const Dims& at) {
    for_each_index(l.kernel, [&](const Dims& tap) {
      Dims near(at.begin() + 2, at.end()), far;
      for (std::size_t d = 0; d < l.rank; ++d) {
        far.push_back(l.read(d, near[d], tap[d]));
        if (far[d] < 0 || far[d] >= inner[d]) return;
      }
      const Dims& from = transposed ? near : far;
      const Dims& to = transposed ? far : near;
      for (std::int64_t i = 0; i < l.group_in; ++i)
        for (std::int64_t o = 0; o < l.group_out; ++o) {
          const std::int64_t in = at[1] * l.group_in + i, out = at[1] * l.group_out + o;
          y[place(y_dims, with(at[0], out, to))] +=
              static_cast<double>(x[place(x_dims, with(at[0], in, from))]) *
              static_cast<double>(w[place(w_dims, transposed ? with(in, o, tap) : with(out, i, tap))]);
        }
    });
  });
  expect_result("input %x : f32[" + list(x_dims) + "] input %w : f32[" + list(w_dims) + "] input %b : f32[" +
                    std::to_string(b.size()) + "] %y = " + (transposed ? "ConvTranspose" : "Conv") +
                    ".11(%x, %w, %b) {" + l.attributes() + ", group=" + std::to_string(l.groups) + "} output %y",
                {tensor(x_dims, x), tensor(w_dims, w), tensor({y_dims[1]}, b)}, y_dims, y);
}

void pool(std::uint32_t seed, const std::string& op, bool counts_pads) {
  Layer l(seed, false);
  if (op == "LpPool") l.dilation = Dims(l.rank, 1);
  // No window lies in pads alone.
  for (std::size_t d = 0; d < l.rank; ++d) {
    if (l.dilation[d] == 1) continue;
    l.begin[d] = l.end[d] = 0;
    l.in[d] = (l.kernel[d] - 1) * l.dilation[d] + l.draw(1, 3);
  }
  for (std::size_t d = 0; d < l.rank; ++d)
    l.out[d] = (l.in[d] + l.begin[d] + l.end[d] - (l.kernel[d] - 1) * l.dilation[d] - 1) / l.stride[d] + 1;
  const Dims x_dims = with(l.batch, l.group_in, l.in), y_dims = with(l.batch, l.group_in, l.out);
  const std::vector<float> x = numbers(l, product(x_dims));
  std::vector<double> y;
  for_each_index(y_dims, [&](const Dims& at) {
    double sum = 0, squares = 0, most = -INFINITY;
    std::int64_t count = 0;
    for_each_index(l.kernel, [&](const Dims& tap) {
      Dims from = at;
      for (std::size_t d = 0; d < l.rank; ++d) {
        from[d + 2] = l.read(d, at[d + 2], tap[d]);
        if (from[d + 2] < 0 || from[d + 2] >= l.in[d]) return;
      }
      const double v = x[place(x_dims, from)];
      sum += v, squares += v * v, most = std::max(most, v), ++count;
    });
    const double all = static_cast<double>(counts_pads ? product(l.kernel) : count);
    y.push_back(op == "MaxPool" ? most : op == "LpPool" ? std::sqrt(squares) : sum / all);
  });
  expect_result("input %x : f32[" + list(x_dims) + "] %y = " + op + ".19(%x) {" + l.attributes() +
                    (op == "AveragePool" ? ", count_include_pad=" + std::to_string(counts_pads ? 1 : 0) : "") +
                    "} output %y",
                {tensor(x_dims, x)}, y_dims, y);
}

TEST(SpatialDims, convolutions) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) convolution(seed, false);
}

TEST(SpatialDims, transposedConvolutions) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) convolution(seed, true);
}

TEST(SpatialDims, pools) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    pool(seed, "MaxPool", false);
    pool(seed, "AveragePool", true);
    pool(seed, "LpPool", false);
  }
}

TEST(SpatialDims, meansOfWhatIsThere) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) pool(seed, "AveragePool", false);
}

}  // namespace
}  // namespace byoc::test
