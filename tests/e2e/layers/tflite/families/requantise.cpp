// QUANTIZE and DEQUANTIZE between all their types; a model with uint8 borders and int8 inside.
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

struct RequantiseVariant {
  TensorType from, to;
};
constexpr RequantiseVariant kRequantiseVariants[] = {
    {FLOAT32, INT8}, {FLOAT32, INT16}, {INT8, INT8},     {INT8, UINT8},  {INT8, INT16}, {INT8, INT32},
    {UINT8, INT8},   {INT16, INT8},    {INT16, INT16},   {INT16, INT32}, {INT32, INT8}, {INT32, INT16},
    {INT8, FLOAT32}, {UINT8, FLOAT32}, {INT16, FLOAT32}, {UINT8, UINT8},
};

TfliteQuantisation any_quantisation(Random& random, TensorType type, double low, double high) {
  if (type == FLOAT32) return {};
  const bool is_wide = type == INT32;
  const std::int64_t zero = is_wide || random.chance(30) ? 0 : random.between(lowest(type), highest(type));
  return {{random.chance(30) ? std::ldexp(1.0f, static_cast<int>(random.between(-6, 0))) : random.scale(low, high)},
          {zero},
          0};
}

std::int64_t from_real(float v, const TensorData& y) {
  const double steps = std::round(static_cast<double>(v / y.scale())) + static_cast<double>(y.zero_point());
  if (std::isnan(steps)) return lowest(y.type);
  return static_cast<std::int64_t>(
      std::min(std::max(steps, static_cast<double>(lowest(y.type))), static_cast<double>(highest(y.type))));
}

std::int64_t between_scales(std::int64_t q, const TensorData& x, const TensorData& y) {
  const FixedFactor factor = fixed_factor(static_cast<double>(x.scale()) / static_cast<double>(y.scale()));
  return clamp_to(y.type, requantise(q - x.zero_point(), factor) + y.zero_point());
}

// x (uint8) -> QUANTIZE -> RELU (int8) -> QUANTIZE -> uint8.
void add_borders(TfliteModel& model, Random& random, const TensorData& x) {
  const TfliteQuantisation inner{{x.scale()}, {x.zero_point() - 128}, 0};
  TensorData y{UINT8, x.shape, {{x.scale()}, {random.between(0, 255)}, 0}, {}, {}};
  for (const std::int64_t q : x.ints)
    y.ints.push_back(clamp_to(UINT8, std::max<std::int64_t>(q - x.zero_point(), 0) + y.zero_point()));
  const auto a = model.between(INT8, x.shape, inner), b = model.between(INT8, x.shape, inner);
  model.add(BuiltinOperator::QUANTIZE, {model.input(x)}, {a}, schema::QuantizeOptionsT());
  model.add(BuiltinOperator::RELU, {a}, {b});
  model.add(BuiltinOperator::QUANTIZE, {b}, {model.output(y)}, schema::QuantizeOptionsT());
}

}  // namespace

void make_requantise(TfliteModel& model, Random& random, std::size_t index) {
  const RequantiseVariant& v = kRequantiseVariants[index % std::size(kRequantiseVariants)];
  const Shape shape = random.chance(50) ? Shape{random.size(1, 5), random.size(1, 60)} : Shape{random.size(1, 300)};
  TensorData x = random_data(random, v.from, shape, any_quantisation(random, v.from, 1e-3, 2));
  model.add_text("types " + std::to_string(static_cast<int>(v.from)) + " to " + std::to_string(static_cast<int>(v.to)) +
                 ", scale " + std::to_string(x.scale()));
  if (v.from == UINT8 && v.to == UINT8) return add_borders(model, random, x);
  // Wide integers come with small scales; a left shift by more than the kernel has bits for is undefined.
  if (v.from == INT32) x = random_data(random, INT32, shape, {{random.scale(1e-8, 1e-5)}, {0}, 0});
  TensorData y{v.to, shape, any_quantisation(random, v.to, 1e-3, 2), {}, {}};
  if (v.to == INT32) y.q = {{x.scale() * random.scale(1e-3, 1)}, {random.between(-1000, 1000)}, 0};
  if (random.chance(15) && !x.is_float() && v.to != FLOAT32) y.q.scales = x.q.scales;
  if (x.is_float() && !x.floats.empty()) {
    for (float& f : x.floats)  // halves of a step, often
      if (random.chance(50)) f = static_cast<float>(random.between(-700, 700)) * 0.5f * y.scale();
    x.floats[0] = 3e38f;
  }
  for (const float f : x.floats) y.ints.push_back(from_real(f, y));
  for (const std::int64_t q : x.ints) {
    if (v.to == FLOAT32)
      y.floats.push_back(static_cast<float>(static_cast<double>(x.scale()) * static_cast<double>(q - x.zero_point())));
    else
      y.ints.push_back(between_scales(q, x, y));
  }
  if (v.to == FLOAT32)
    model.add(BuiltinOperator::DEQUANTIZE, {model.input(x)}, {model.output(y)}, schema::DequantizeOptionsT(), 2);
  else
    model.add(BuiltinOperator::QUANTIZE, {model.input(x)}, {model.output(y)}, schema::QuantizeOptionsT(), 3);
}

}  // namespace byoc::test
