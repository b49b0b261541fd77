// CONV_3D, CONV_3D_TRANSPOSE, LOCAL_RESPONSE_NORMALIZATION, RFFT2D: float32 alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"
#include "tests/e2e/layers/tflite/products.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Code = BuiltinOperator;

constexpr ProductTypes kFloats{FLOAT32, FLOAT32, false, FLOAT32};

double real_at(const TensorData& t, const Index& index) { return static_cast<double>(t.floats[place(t.shape, index)]); }

// One of three spatial dimensions of a convolution that leads from `from` to `to`.
struct Axis {
  std::int32_t from = 1, kernel = 1, stride = 1, dilation = 1, to = 1, before = 0;

  [[nodiscard]] std::int32_t at(std::int32_t i, std::int32_t k) const { return i * stride - before + k * dilation; }
};

std::int32_t windows_of(const Axis& a, Padding padding) {
  const std::int32_t reach = (a.kernel - 1) * a.dilation + 1;
  return (padding == Padding::SAME ? a.from + a.stride - 1 : a.from + a.stride - reach) / a.stride;
}

Axis random_volume_axis(Random& random, Padding padding) {
  Axis a;
  a.kernel = random.size(1, 3), a.stride = random.size(1, 3), a.dilation = random.chance(25) ? 2 : 1;
  const std::int32_t reach = (a.kernel - 1) * a.dilation + 1;
  a.from = random.size(padding == Padding::VALID ? reach : 1, reach + 4);
  a.to = windows_of(a, padding);
  if (padding == Padding::SAME) a.before = std::max((a.to - 1) * a.stride + reach - a.from, 0) / 2;
  return a;
}

using Axes = std::array<Axis, 3>;

Axes random_axes(Random& random, Padding padding) {
  return {random_volume_axis(random, padding), random_volume_axis(random, padding),
          random_volume_axis(random, padding)};
}

schema::Conv3DOptionsT options_of(const Axes& axes, Padding padding, ActivationFunctionType activation) {
  schema::Conv3DOptionsT o;
  o.padding = padding;
  o.stride_d = axes[0].stride, o.stride_h = axes[1].stride, o.stride_w = axes[2].stride;
  o.dilation_d_factor = axes[0].dilation, o.dilation_h_factor = axes[1].dilation;
  o.dilation_w_factor = axes[2].dilation;
  o.fused_activation_function = activation;
  return o;
}

Shape volume(std::int32_t batch, const Axes& axes, std::int32_t Axis::* length, std::int32_t channels) {
  return {batch, axes[0].*length, axes[1].*length, axes[2].*length, channels};
}

// Each pair of a result of the convolution and an element of its image that a tap joins.
template <class F>
void for_each_tap(const Axes& axes, F&& f) {
  const Shape results{axes[0].to, axes[1].to, axes[2].to}, taps{axes[0].kernel, axes[1].kernel, axes[2].kernel};
  for_each_index(results, [&](const Index& y) {
    for_each_index(taps, [&](const Index& k) {
      Index x(3);
      for (std::size_t d = 0; d < 3; ++d) {
        x[d] = axes[d].at(y[d], k[d]);
        if (x[d] < 0 || x[d] >= axes[d].from) return;
      }
      f(y, x, k);
    });
  });
}

Sums biased(const Shape& shape, const std::optional<TensorData>& bias) {
  Sums sums;
  for_each_index(shape, [&](const Index& y) { sums.push_back(bias ? real_at(*bias, {y[4]}) : 0); });
  return sums;
}

std::string axes_text(const Axes& axes) {
  std::string out;
  for (const Axis& a : axes)
    out += " " + std::to_string(a.from) + " to " + std::to_string(a.to) + " by " + std::to_string(a.kernel) + " step " +
           std::to_string(a.stride) + " dilation " + std::to_string(a.dilation);
  return out;
}

void conv_3d(TfliteModel& model, Random& random) {
  const Padding padding = random.pick({Padding::SAME, Padding::VALID});
  const Axes axes = random_axes(random, padding);
  const std::int32_t batch = random.size(1, 2), groups = random.chance(30) ? random.size(2, 3) : 1;
  const std::int32_t in = random.size(1, 4), out = random.size(1, 4);  // of a group
  const TensorData x = random_data(random, FLOAT32, volume(batch, axes, &Axis::from, in * groups));
  const TensorData filter =
      random_weights(random, kFloats, {axes[0].kernel, axes[1].kernel, axes[2].kernel, in, out * groups}, 4);
  const auto bias = random_bias(random, kFloats, x, filter, out * groups);
  const Shape shape = volume(batch, axes, &Axis::to, out * groups);
  Sums sums = biased(shape, bias);
  for_each_tap(axes, [&](const Index& y, const Index& at, const Index& k) {
    for_each_index({batch, out * groups, in}, [&](const Index& c) {
      sums[place(shape, {c[0], y[0], y[1], y[2], c[1]})] +=
          real_at(x, {c[0], at[0], at[1], at[2], c[1] / out * in + c[2]}) *
          real_at(filter, {k[0], k[1], k[2], c[2], c[1]});
    });
  });
  const ActivationFunctionType activation = random_activation(random);
  const TensorData y = random_result(random, kFloats, shape, sums, x, filter, false, activation);
  model.add_text(axes_text(axes) + " groups " + std::to_string(groups));
  model.add(Code::CONV_3D, product_inputs(model, random, x, filter, bias), {model.output(y)},
            options_of(axes, padding, activation));
}

// The convolution of these axes the other way: each of its results spreads over its image.
void conv_3d_transpose(TfliteModel& model, Random& random) {
  const Padding padding = random.pick({Padding::SAME, Padding::VALID});
  const Axes axes = random_axes(random, padding);
  const std::int32_t batch = random.size(1, 2), in = random.size(1, 5), out = random.size(1, 5);
  const TensorData x = random_data(random, FLOAT32, volume(batch, axes, &Axis::to, in));
  const TensorData filter =
      random_weights(random, kFloats, {axes[0].kernel, axes[1].kernel, axes[2].kernel, out, in}, 3);
  const auto bias = random_bias(random, kFloats, x, filter, out);
  const Shape shape = volume(batch, axes, &Axis::from, out);
  Sums sums = biased(shape, bias);
  for_each_tap(axes, [&](const Index& from, const Index& at, const Index& k) {
    for_each_index({batch, out, in}, [&](const Index& c) {
      sums[place(shape, {c[0], at[0], at[1], at[2], c[1]})] +=
          real_at(x, {c[0], from[0], from[1], from[2], c[2]}) * real_at(filter, {k[0], k[1], k[2], c[1], c[2]});
    });
  });
  const ActivationFunctionType activation = random_activation(random);
  const TensorData y = random_result(random, kFloats, shape, sums, x, filter, false, activation);
  model.add_text(axes_text(axes));
  std::vector<std::int32_t> inputs = product_inputs(model, random, x, filter, bias);
  std::swap(inputs[0], inputs[1]);
  inputs.insert(inputs.begin(), integers(model, shape));
  model.add(Code::CONV_3D_TRANSPOSE, inputs, {model.output(y)}, options_of(axes, padding, activation));
}

void local_response_normalization(TfliteModel& model, Random& random) {
  const TensorData x =
      random_data(random, FLOAT32, {random.size(1, 2), random.size(1, 4), random.size(1, 4), random.size(1, 9)});
  schema::LocalResponseNormalizationOptionsT o;
  o.radius = random.size(0, 4);
  o.bias = random.pick({1.0F, 0.5F, 2.0F});
  o.alpha = random.pick({1.0F, 0.125F, 0.25F});
  o.beta = random.pick({0.5F, 0.75F, 1.0F});
  TensorData y{FLOAT32, x.shape, {}, {}, {}};
  for_each_index(x.shape, [&](const Index& i) {
    double sum = 0;
    for (std::int32_t c = std::max(i[3] - o.radius, 0); c <= std::min(i[3] + o.radius, x.shape[3] - 1); ++c)
      sum += std::pow(real_at(x, {i[0], i[1], i[2], c}), 2.0);
    const double scale = static_cast<double>(o.bias) + static_cast<double>(o.alpha) * sum;
    y.floats.push_back(static_cast<float>(real_at(x, i) / std::pow(scale, static_cast<double>(o.beta))));
  });
  model.add_text("radius " + std::to_string(o.radius));
  model.add(Code::LOCAL_RESPONSE_NORMALIZATION, {model.input(x)}, {model.output(y, 1e-5)}, o);
}

// The transform of what is cut or filled to powers of two, by its definition, and what is made of it.
void rfft2d(TfliteModel& model, Random& random) {
  const TensorData x = random_data(random, FLOAT32, {random.size(1, 3), random.size(1, 5), random.size(1, 20)});
  const std::int32_t h = 1 << random.size(0, 2), w = 1 << random.size(0, 4);
  const Shape shape{x.shape[0], h, w / 2 + 1};
  TensorData real_part{FLOAT32, shape, {}, {}, {}}, imaginary = real_part, length = real_part;
  for_each_index(shape, [&](const Index& k) {
    std::complex<double> sum = 0;
    for_each_index({std::min(h, x.shape[1]), std::min(w, x.shape[2])}, [&](const Index& i) {
      const double turns = static_cast<double>(k[1] * i[0]) / h + static_cast<double>(k[2] * i[1]) / w;
      sum += real_at(x, {k[0], i[0], i[1]}) * std::polar(1.0, -2 * std::numbers::pi * turns);
    });
    real_part.floats.push_back(static_cast<float>(sum.real()));
    imaginary.floats.push_back(static_cast<float>(sum.imag()));
    length.floats.push_back(static_cast<float>(std::abs(sum)));
  });
  const std::int32_t in = model.input(x), lengths = integers(model, {h, w}), all = model.between(COMPLEX64, shape);
  model.add(Code::RFFT2D, {in, lengths}, {all}, schema::Rfft2dOptionsT());
  model.add(Code::REAL, {all}, {model.output(real_part, 1e-3)});
  model.add(Code::IMAG, {all}, {model.output(imaginary, 1e-3)});
  model.add(Code::COMPLEX_ABS, {all}, {model.output(length, 1e-3)});
}

}  // namespace

void make_volumes(TfliteModel& model, Random& random, std::size_t index) {
  constexpr std::array kMake = {conv_3d, conv_3d_transpose, local_response_normalization, rfft2d};
  model.add_text(std::to_string(index % kMake.size()));
  kMake[index % kMake.size()](model, random);
}

}  // namespace byoc::test
