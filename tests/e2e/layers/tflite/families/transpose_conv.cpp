#include <algorithm>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"
#include "tests/e2e/layers/tflite/products.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

// One of the two spatial dimensions.
struct Spread {
  std::int32_t in = 1, kernel = 1, stride = 1, out = 1;
  Padding padding = Padding::VALID;

  // The padding in front of the convolution that leads from the output back to the input.
  [[nodiscard]] std::int32_t before() const {
    const std::int32_t windows = (padding == Padding::SAME ? out + stride - 1 : out + stride - kernel) / stride;
    return std::max((windows - 1) * stride + kernel - out, 0) / 2;
  }
  // The output position that tap k of input position i reaches; it may be outside.
  [[nodiscard]] std::int32_t at(std::int32_t i, std::int32_t k) const { return i * stride - before() + k; }
};

Spread random_spread(Random& random, Padding padding, bool many_channels) {
  Spread s;
  s.padding = padding;
  s.in = random.size(1, many_channels ? 3 : 6);
  s.kernel = random.size(1, many_channels ? 2 : 5);
  s.stride = random.size(1, 4);  // larger than the kernel often
  // Every output from which a convolution leads to this input, and now and then one that is too short or too long.
  s.out = padding == Padding::SAME ? s.in * s.stride - random.size(0, s.stride - 1)
                                   : (s.in - 1) * s.stride + s.kernel + random.size(0, s.stride - 1);
  if (random.chance(15)) s.out = random.size(1, s.out + 4);
  return s;
}

double at(const TensorData& t, const Index& index) {
  const std::size_t i = place(t.shape, index);
  return t.is_float() ? static_cast<double>(t.floats[i]) : static_cast<double>(t.ints[i]);
}

// By its definition: each input pixel spreads over the output.
Sums spread(const Spread& h, const Spread& w, const Shape& shape, const TensorData& x, const TensorData& filter,
            const std::optional<TensorData>& bias) {
  Sums sums;
  for_each_index(shape, [&](const Index& y) { sums.push_back(bias ? at(*bias, {y[3]}) : 0); });
  for_each_index(x.shape, [&](const Index& from) {
    const double value = at(x, from) - static_cast<double>(x.zero_point());
    for (std::int32_t ky = 0; ky < h.kernel; ++ky)
      for (std::int32_t kx = 0; kx < w.kernel; ++kx) {
        const std::int32_t y = h.at(from[1], ky), z = w.at(from[2], kx);
        if (y < 0 || y >= h.out || z < 0 || z >= w.out) continue;
        for (std::int32_t o = 0; o < shape[3]; ++o)
          sums[place(shape, {from[0], y, z, o})] += value * at(filter, {o, ky, kx, from[3]});
      }
  });
  return sums;
}

std::string spread_text(const Spread& s) {
  return ", in " + std::to_string(s.in) + " kernel " + std::to_string(s.kernel) + " stride " +
         std::to_string(s.stride) + " out " + std::to_string(s.out) + (s.padding == Padding::SAME ? " same" : " valid");
}

}  // namespace

void make_transpose_conv(TfliteModel& model, Random& random, std::size_t index) {
  static constexpr ProductTypes kTypes[] = {
      {INT8, INT8, false, INT32},  {INT8, INT8, true, INT32},          {INT16, INT8, true, INT64},
      {INT16, INT8, false, INT32}, {FLOAT32, FLOAT32, false, FLOAT32}, {INT16, INT8, true, INT32},
  };
  const ProductTypes& types = kTypes[index % std::size(kTypes)];
  const Padding padding = random.pick({Padding::SAME, Padding::VALID});
  const std::int32_t batch = random.chance(25) ? 2 : 1;
  const std::int32_t channels = random_channels(random, 9), outputs = random_channels(random, 7);
  const bool many = channels > 9 || outputs > 7;
  const Spread h = random_spread(random, padding, many), w = random_spread(random, padding, many);
  const TensorData x = random_data(random, types.activation, {batch, h.in, w.in, channels},
                                   random_quantisation(random, types.activation));
  TensorData filter = random_weights(random, types, {outputs, h.kernel, w.kernel, channels}, 0);
  const auto bias = random_bias(random, types, x, filter, outputs);
  const Shape shape{batch, h.out, w.out, outputs};
  schema::TransposeConvOptionsT options;
  options.padding = padding;
  options.stride_h = h.stride;
  options.stride_w = w.stride;
  options.fused_activation_function = random_activation(random);
  if (bias && random.chance(30) && types.activation != FLOAT32) options.quantized_bias_type = bias->type;
  // Kernels of integers do not look at the zero points of weights, and those of int16 always sum in 64 bits.
  const bool is_real = types.activation == FLOAT32;
  const TensorData y = random_result(random, types, shape, spread(h, w, shape, x, filter, bias), x, filter,
                                     types.activation == INT16, options.fused_activation_function);
  if (!is_real && random.chance(20)) filter.q.zero_points[0] = random.between(-128, 127);
  model.add_text("types " + std::to_string(index % std::size(kTypes)) + ", batch " + std::to_string(batch) +
                 ", channels " + std::to_string(channels) + " -> " + std::to_string(outputs) + spread_text(h) +
                 spread_text(w));
  std::vector<std::int32_t> inputs = product_inputs(model, random, x, filter, bias);
  std::swap(inputs[0], inputs[1]);
  // What a run checks, or what is known.
  TensorData stated{INT32, {4}, {}, {}, {}};
  stated.ints.assign(shape.begin(), shape.end());
  inputs.insert(inputs.begin(), random.chance(25) ? model.input(stated) : integers(model, shape));
  model.add(BuiltinOperator::TRANSPOSE_CONV, inputs, {model.output(y)}, options, 5);
}

}  // namespace byoc::test
