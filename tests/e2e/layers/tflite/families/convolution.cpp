// CONV_2D, with groups, and DEPTHWISE_CONV_2D.
#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/products.hpp"
#include "tests/e2e/layers/tflite/window.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

// Element [a][b][c][d] of a tensor.
double element(const TensorData& t, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  const auto i = static_cast<std::size_t>(((a * t.shape[1] + b) * t.shape[2] + c) * t.shape[3] + d);
  return t.is_float() ? static_cast<double>(t.floats[i]) : static_cast<double>(t.ints[i]);
}

double bias_of(const std::optional<TensorData>& bias, std::int32_t channel) {
  if (!bias) return 0;
  const auto i = static_cast<std::size_t>(channel);
  return bias->is_float() ? static_cast<double>(bias->floats[i]) : static_cast<double>(bias->ints[i]);
}

struct Geometry {
  Span h, w;
  std::int32_t batch = 1, channels = 1, outputs = 1, group_channels = 1;  // of input, output, and input of one group
  bool depthwise = false;
};

Sums convolve(const Geometry& g, const TensorData& x, const TensorData& filter, const std::optional<TensorData>& bias) {
  Sums sums;
  const std::int32_t per_group = g.outputs / (g.channels / g.group_channels);
  const auto zero = static_cast<double>(x.zero_point());
  for (std::int32_t n = 0; n < g.batch; ++n)
    for (std::int32_t oy = 0; oy < g.h.out(); ++oy)
      for (std::int32_t ox = 0; ox < g.w.out(); ++ox)
        for (std::int32_t o = 0; o < g.outputs; ++o) {
          double sum = bias_of(bias, o);
          for (std::int32_t ky = 0; ky < g.h.kernel; ++ky)
            for (std::int32_t kx = 0; kx < g.w.kernel; ++kx) {
              const std::int32_t y = g.h.at(oy, ky), z = g.w.at(ox, kx);
              if (y < 0 || y >= g.h.in || z < 0 || z >= g.w.in) continue;
              for (std::int32_t i = 0; i < g.group_channels; ++i)
                sum += (element(x, n, y, z, o / per_group * g.group_channels + i) - zero) *
                       (g.depthwise ? element(filter, 0, ky, kx, o) : element(filter, o, ky, kx, i));
            }
          sums.push_back(sum);
        }
  return sums;
}

Geometry random_geometry(Random& random, bool many_channels) {
  Geometry g;
  const Padding padding = random.pick({Padding::SAME, Padding::VALID});
  g.h = random_span(random, padding, 3, many_channels);
  g.w = random_span(random, padding, 3, many_channels);
  g.batch = random.chance(25) ? 2 : 1;
  return g;
}

template <class Options>
Options window_options(const Geometry& g, Random& random) {
  Options o;
  o.padding = g.h.padding;
  o.stride_h = g.h.stride;
  o.stride_w = g.w.stride;
  o.dilation_h_factor = g.h.dilation;
  o.dilation_w_factor = g.w.dilation;
  o.fused_activation_function = random_activation(random);
  return o;
}

std::string geometry_text(const Geometry& g, std::size_t types) {
  std::string out = "types " + std::to_string(types) + ", batch " + std::to_string(g.batch) + ", channels " +
                    std::to_string(g.channels) + " -> " + std::to_string(g.outputs) + " by " +
                    std::to_string(g.group_channels);
  for (const Span* s : {&g.h, &g.w})
    out += ", in " + std::to_string(s->in) + " kernel " + std::to_string(s->kernel) + " stride " +
           std::to_string(s->stride) + " dilation " + std::to_string(s->dilation) +
           (s->padding == Padding::SAME ? " same" : " valid");
  return out;
}

// Weights of fewer than 8 bits.
constexpr ProductTypes kFewBits[] = {
    {INT8, INT4, true, INT32}, {INT8, INT4, false, INT32}, {INT8, INT2, true, INT32}, {INT8, INT2, false, INT32}};

void make_conv_2d(TfliteModel& model, Random& random, const ProductTypes& types, std::size_t which) {
  const std::int32_t group_channels = random_channels(random, 9), group_outputs = random_channels(random, 6);
  Geometry g = random_geometry(random, group_channels > 9 || group_outputs > 6);
  const std::int32_t groups = random.chance(25) ? random.size(2, 4) : 1;
  g.group_channels = group_channels;
  g.channels = groups * group_channels;
  g.outputs = groups * group_outputs;
  const TensorData x = random_data(random, types.activation, {g.batch, g.h.in, g.w.in, g.channels},
                                   random_quantisation(random, types.activation));
  const TensorData filter = random_weights(random, types, {g.outputs, g.h.kernel, g.w.kernel, g.group_channels}, 0);
  const auto bias = random_bias(random, types, x, filter, g.outputs);
  auto options = window_options<schema::Conv2DOptionsT>(g, random);
  const bool wide = types.activation == INT16 && types.bias == INT64;
  // Without a bias the option alone says how wide sums of int16 are.
  if (types.activation == INT16 && !wide && !bias) options.quantized_bias_type = INT32;
  const TensorData y = random_result(random, types, {g.batch, g.h.out(), g.w.out(), g.outputs},
                                     convolve(g, x, filter, bias), x, filter, wide, options.fused_activation_function);
  model.add_text(geometry_text(g, which));
  const auto inputs = product_inputs(model, random, x, filter, bias);
  model.add(BuiltinOperator::CONV_2D, inputs, {model.output(y)}, options,
            types.weights == INT8 || types.weights == FLOAT32 ? 3 : 7);
}

void make_depthwise_conv_2d(TfliteModel& model, Random& random, const ProductTypes& types, std::size_t which) {
  const std::int32_t channels = random_channels(random, 9);
  Geometry g = random_geometry(random, channels > 9);
  g.depthwise = true;
  g.channels = channels;
  const std::int32_t multiplier = random.chance(60) ? 1 : random.size(2, 4);
  g.outputs = g.channels * multiplier;
  const TensorData x = random_data(random, types.activation, {g.batch, g.h.in, g.w.in, g.channels},
                                   random_quantisation(random, types.activation));
  const TensorData filter = random_weights(random, types, {1, g.h.kernel, g.w.kernel, g.outputs}, 3);
  const auto bias = random_bias(random, types, x, filter, g.outputs);
  auto options = window_options<schema::DepthwiseConv2DOptionsT>(g, random);
  options.depth_multiplier = multiplier;
  const TensorData y =
      random_result(random, types, {g.batch, g.h.out(), g.w.out(), g.outputs}, convolve(g, x, filter, bias), x, filter,
                    types.activation == INT16, options.fused_activation_function);
  model.add_text(geometry_text(g, which));
  const auto inputs = product_inputs(model, random, x, filter, bias);
  model.add(BuiltinOperator::DEPTHWISE_CONV_2D, inputs, {model.output(y)}, options,
            types.weights == INT8 || types.weights == FLOAT32 ? 3 : 7);
}

}  // namespace

void make_conv_2d(TfliteModel& model, Random& random, std::size_t index) {
  static constexpr ProductTypes kTypes[] = {
      {INT8, INT8, false, INT32}, {INT8, INT8, true, INT32}, {INT16, INT8, true, INT32},
      {INT16, INT8, true, INT64}, {INT8, INT4, true, INT32}, {FLOAT32, FLOAT32, false, FLOAT32},
  };
  make_conv_2d(model, random, kTypes[index % std::size(kTypes)], index % std::size(kTypes));
}

void make_conv_2d_few_bits(TfliteModel& model, Random& random, std::size_t index) {
  make_conv_2d(model, random, kFewBits[index % std::size(kFewBits)], index % std::size(kFewBits));
}

void make_depthwise_conv_2d(TfliteModel& model, Random& random, std::size_t index) {
  static constexpr ProductTypes kTypes[] = {
      {INT8, INT8, false, INT32}, {INT8, INT8, true, INT32},          {INT16, INT8, true, INT64},
      {INT8, INT4, true, INT32},  {FLOAT32, FLOAT32, false, FLOAT32},
  };
  make_depthwise_conv_2d(model, random, kTypes[index % std::size(kTypes)], index % std::size(kTypes));
}

void make_depthwise_conv_2d_few_bits(TfliteModel& model, Random& random, std::size_t index) {
  make_depthwise_conv_2d(model, random, kFewBits[index % std::size(kFewBits)], index % std::size(kFewBits));
}

}  // namespace byoc::test
