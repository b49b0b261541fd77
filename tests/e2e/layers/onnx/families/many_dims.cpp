// Convolutions, their transposes and pools with four and five spatial dims, in float32.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/e2e/layers/onnx/families.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

constexpr const char* kOps[] = {"Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool"};
constexpr double kNear = 1e-4;

struct Geometry {
  std::int32_t groups = 1, group_in = 1, group_out = 1;
  Shape in, kernel, stride, dilation, begin, end, out;
};

Geometry random_geometry(Random& random, bool transposed) {
  Geometry g{random.size(1, 2), random.size(1, 2), random.size(1, 2), {}, {}, {}, {}, {}, {}, {}};
  const std::int32_t rank = random.size(4, 5);
  for (std::int32_t d = 0; d < rank; ++d) {
    const std::int32_t kernel = random.size(1, 3), stride = random.size(1, 2), dilation = random.size(1, 2);
    const std::int32_t reach = (kernel - 1) * dilation + 1;
    // No window lies in pads alone.
    const bool pads = dilation == 1 && !(transposed && kernel > 1);
    const std::int32_t begin = pads ? random.size(0, kernel - 1) : 0, end = pads ? random.size(0, kernel - 1) : 0;
    const std::int32_t in = transposed ? random.size(1, 2) : std::max(reach - begin - end, 1) + random.size(0, 1);
    g.kernel.push_back(kernel), g.stride.push_back(stride), g.dilation.push_back(dilation);
    g.begin.push_back(begin), g.end.push_back(end), g.in.push_back(in);
    g.out.push_back(transposed ? (in - 1) * stride + reach - begin - end : (in + begin + end - reach) / stride + 1);
  }
  return g;
}

Shape with(std::int32_t a, std::int32_t b, const Shape& rest) {
  Shape out{a, b};
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

template <class Node>
void set_window(Node& node, const Geometry& g) {
  std::vector<std::int64_t> pads = wide(g.begin);
  pads.insert(pads.end(), g.end.begin(), g.end.end());
  set(node, "kernel_shape", wide(g.kernel));
  set(node, "strides", wide(g.stride));
  set(node, "dilations", wide(g.dilation));
  set(node, "pads", pads);
}

// Where tap `tap` of the window at `near` lies; nothing where that is outside `limits`.
bool reach(const Geometry& g, const Index& near, const Index& tap, const Shape& limits, Index& far) {
  far.clear();
  for (std::size_t d = 0; d < tap.size(); ++d) {
    far.push_back(near[d] * g.stride[d] - g.begin[d] + tap[d] * g.dilation[d]);
    if (far[d] < 0 || far[d] >= limits[d]) return false;
  }
  return true;
}

void add_convolution_of_many_dims(NewestOnnxModel& model, Random& random, bool transposed) {
  const Geometry g = random_geometry(random, transposed);
  const TensorData x = random_data(random, FLOAT32, with(1, g.groups * g.group_in, g.in));
  const TensorData w = random_data(random, FLOAT32,
                                   transposed ? with(g.groups * g.group_in, g.group_out, g.kernel)
                                              : with(g.groups * g.group_out, g.group_in, g.kernel));
  TensorData y{FLOAT32, with(1, g.groups * g.group_out, g.out), {}, {}, {}};
  std::vector<double> sums(y.elements());
  for_each_index(with(g.groups, 1, transposed ? g.in : g.out), [&](const Index& at) {
    const Index near(at.begin() + 2, at.end());
    for_each_index(g.kernel, [&](const Index& tap) {
      Index far;
      if (!reach(g, near, tap, transposed ? g.out : g.in, far)) return;
      for (std::int32_t i = 0; i < g.group_in; ++i)
        for (std::int32_t o = 0; o < g.group_out; ++o) {
          const std::int32_t in = at[0] * g.group_in + i, out = at[0] * g.group_out + o;
          const float a = x.floats[place(x.shape, with(0, in, transposed ? near : far))];
          const float b = w.floats[place(w.shape, transposed ? with(in, o, tap) : with(out, i, tap))];
          sums[place(y.shape, with(0, out, transposed ? far : near))] +=
              static_cast<double>(a) * static_cast<double>(b);
        }
    });
  });
  for (const double s : sums) y.floats.push_back(static_cast<float>(s));
  const char* op = transposed ? "ConvTranspose" : "Conv";
  model.add_text(std::string(op) + " of " + std::to_string(g.in.size()) + " dims");
  auto& node = model.node(op, {model.input(x), model.input(w)}, {model.output(y, kNear)});
  set_window(node, g);
  set(node, "group", std::int64_t{g.groups});
}

void add_pool_of_many_dims(NewestOnnxModel& model, Random& random, const std::string& op) {
  const Geometry g = random_geometry(random, false);
  const TensorData x = random_data(random, FLOAT32, with(g.groups, g.group_in, g.in));
  TensorData y{FLOAT32, with(g.groups, g.group_in, g.out), {}, {}, {}};
  const bool counts_pads = random.chance(50);
  std::size_t all = 1;
  for (const std::int32_t k : g.kernel) all *= static_cast<std::size_t>(k);
  for_each_index(y.shape, [&](const Index& at) {
    const Index near(at.begin() + 2, at.end());
    double sum = 0, squares = 0, most = -std::numeric_limits<double>::infinity();
    std::size_t count = 0;
    for_each_index(g.kernel, [&](const Index& tap) {
      Index far;
      if (!reach(g, near, tap, g.in, far)) return;
      const auto v = static_cast<double>(x.floats[place(x.shape, with(at[0], at[1], far))]);
      sum += v, squares += v * v, most = std::max(most, v), ++count;
    });
    const double mean = sum / static_cast<double>(counts_pads ? all : count);
    y.floats.push_back(static_cast<float>(op == "MaxPool" ? most : op == "LpPool" ? std::sqrt(squares) : mean));
  });
  model.add_text(op + " of " + std::to_string(g.in.size()) + " dims");
  auto& node = model.node(op, {model.input(x)}, {model.output(y, kNear)});
  set_window(node, g);
  if (op == "AveragePool") set(node, "count_include_pad", std::int64_t{counts_pads});
}

}  // namespace

void make_onnx_many_dims(NewestOnnxModel& model, Random& random, std::size_t index) {
  const std::size_t which = index % std::size(kOps);
  if (which < 2) return add_convolution_of_many_dims(model, random, which == 1);
  add_pool_of_many_dims(model, random, kOps[which]);
}

}  // namespace byoc::test
