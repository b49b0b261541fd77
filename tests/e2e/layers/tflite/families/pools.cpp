// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D.
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/fixed_point.hpp"
#include "tests/e2e/layers/tflite/window.hpp"

namespace byoc::test {

using enum TensorType;
using Code = BuiltinOperator;

void make_pools(TfliteModel& model, Random& random, std::size_t index) {
  struct Variant {
    Code code;
    TensorType type;
  };
  static constexpr Variant kVariants[] = {
      {Code::AVERAGE_POOL_2D, INT8}, {Code::AVERAGE_POOL_2D, INT16}, {Code::AVERAGE_POOL_2D, FLOAT32},
      {Code::MAX_POOL_2D, INT8},     {Code::MAX_POOL_2D, INT16},     {Code::MAX_POOL_2D, FLOAT32},
      {Code::L2_POOL_2D, FLOAT32},
  };
  const Variant& v = kVariants[index % std::size(kVariants)];
  const Padding padding = random.pick({Padding::SAME, Padding::VALID});
  const std::int32_t batch = random.size(1, 2), channels = random_channels(random, 9);
  const Span h = random_span(random, padding, 1, channels > 9), w = random_span(random, padding, 1, channels > 9);
  const TensorData x = random_data(random, v.type, {batch, h.in, w.in, channels}, random_quantisation(random, v.type));
  TensorData y{v.type, {batch, h.out(), w.out(), channels}, x.q, {}, {}};
  const ActivationFunctionType activation = random_activation(random);
  const IntRange range = x.is_float() ? IntRange{0, 0} : activation_range(activation, y);
  for (std::int32_t n = 0; n < batch; ++n)
    for (std::int32_t oy = 0; oy < h.out(); ++oy)
      for (std::int32_t ox = 0; ox < w.out(); ++ox)
        for (std::int32_t c = 0; c < channels; ++c) {
          std::vector<double> inside;
          for (std::int32_t ky = 0; ky < h.kernel; ++ky)
            for (std::int32_t kx = 0; kx < w.kernel; ++kx) {
              const std::int32_t iy = h.at(oy, ky), ix = w.at(ox, kx);
              if (iy < 0 || iy >= h.in || ix < 0 || ix >= w.in) continue;
              const auto at = static_cast<std::size_t>(((n * h.in + iy) * w.in + ix) * channels + c);
              inside.push_back(x.is_float() ? static_cast<double>(x.floats[at]) : static_cast<double>(x.ints[at]));
            }
          const auto count = static_cast<double>(inside.size());
          double sum = 0, squares = 0;
          for (const double d : inside) sum += d, squares += d * d;
          const double result = v.code == Code::MAX_POOL_2D  ? *std::max_element(inside.begin(), inside.end())
                                : v.code == Code::L2_POOL_2D ? std::sqrt(squares / count)
                                                             : sum / count;
          if (x.is_float())
            y.floats.push_back(activate(activation, static_cast<float>(result)));
          else  // halves away from zero
            y.ints.push_back(std::clamp(static_cast<std::int64_t>(std::round(result)), range.low, range.high));
        }
  schema::Pool2DOptionsT options;
  options.padding = padding;
  options.stride_h = h.stride;
  options.stride_w = w.stride;
  options.filter_height = h.kernel;
  options.filter_width = w.kernel;
  options.fused_activation_function = activation;
  model.add_text(std::string(schema::EnumNameBuiltinOperator(v.code)) + " " + schema::EnumNameTensorType(v.type) +
                 " in " + std::to_string(h.in) + "x" + std::to_string(w.in) + " kernel " + std::to_string(h.kernel) +
                 "x" + std::to_string(w.kernel));
  const std::int32_t in = model.input(x);
  model.add(v.code, {in}, {model.output(y, x.is_float() ? 1e-6 : 0)}, options);
}

}  // namespace byoc::test
