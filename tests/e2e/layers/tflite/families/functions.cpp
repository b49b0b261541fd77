// Functions of one element: ABS, RSQRT, LEAKY_RELU, the RELU family, and the float functions.
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Code = BuiltinOperator;

struct FunctionVariant {
  Code code;
  TensorType type;
  double (*real)(double) = nullptr;
  bool positive = false;  // defined above zero alone
};

constexpr FunctionVariant kFunctionVariants[] = {
    {Code::ABS, INT8},
    {Code::ABS, INT16},
    {Code::ABS, FLOAT32, [](double v) { return std::fabs(v); }},
    {Code::LEAKY_RELU, INT8},
    {Code::LEAKY_RELU, INT16},
    {Code::LEAKY_RELU, FLOAT32},
    {Code::RELU, INT8},
    {Code::RELU, INT16},
    {Code::RELU, FLOAT32, [](double v) { return v < 0 ? 0 : v; }},
    {Code::RELU6, INT8},
    {Code::RELU6, INT16},
    {Code::RELU6, FLOAT32, [](double v) { return std::clamp(v, 0.0, 6.0); }},
    {Code::RELU_N1_TO_1, INT8},
    {Code::RELU_N1_TO_1, FLOAT32, [](double v) { return std::clamp(v, -1.0, 1.0); }},
    {Code::RELU_0_TO_1, INT8},
    {Code::RELU_0_TO_1, FLOAT32, [](double v) { return std::clamp(v, 0.0, 1.0); }},
    {Code::RSQRT, INT8},
    {Code::RSQRT, INT16},
    {Code::RSQRT, FLOAT32, [](double v) { return 1 / std::sqrt(v); }, true},
    {Code::SQRT, FLOAT32, [](double v) { return std::sqrt(v); }, true},
    {Code::LOG, FLOAT32, [](double v) { return std::log(v); }, true},
    {Code::EXP, FLOAT32, [](double v) { return std::exp(v); }},
    {Code::NEG, FLOAT32, [](double v) { return -v; }},
    {Code::SQUARE, FLOAT32, [](double v) { return v * v; }},
    {Code::FLOOR, FLOAT32, [](double v) { return std::floor(v); }},
    {Code::CEIL, FLOAT32, [](double v) { return std::ceil(v); }},
    {Code::ROUND, FLOAT32, [](double v) { return std::nearbyint(v); }},
    {Code::SIN, FLOAT32, [](double v) { return std::sin(v); }},
    {Code::COS, FLOAT32, [](double v) { return std::cos(v); }},
};

double ratio(const TensorData& x, const TensorData& y) { return static_cast<double>(x.scale() / y.scale()); }

// 1 / sqrt(v) in Q31 and the power of two it is divided by: the reference's integer Newton steps, in __int128.
FixedFactor inverse_root_factor(std::int64_t v) {
  if (v <= 1) return {highest(INT32), 0};
  const auto times = [](std::int64_t a, std::int64_t b) { return round_up(static_cast<__int128>(a) * b, 31); };
  // v = m * 4^p with m in [2^27, 2^29); v is at most 255 here.
  std::int64_t m = v;
  int pairs = 0;
  while (m < 1 << 27) m *= 4, ++pairs;
  std::int64_t root = 1 << 28;
  const std::int64_t half = (m / 2 + 1) / 2;
  for (int i = 0; i < 5; ++i)
    root = (times((1 << 28) + (1 << 27), root) - times(half, times(times(root, root), root) * 64)) * 8;
  return {times(root, 1518500250), pairs - 11};
}

std::int64_t quantised_result(const FunctionVariant& v, const TensorData& x, const TensorData& y, std::int64_t q,
                              float alpha) {
  const std::int64_t u = q - x.zero_point();
  switch (v.code) {
    case Code::ABS: return requantise(std::abs(u), fixed_factor(ratio(x, y))) + y.zero_point();
    case Code::RELU: return std::max(requantise(u, fixed_factor(ratio(x, y))) + y.zero_point(), y.zero_point());
    case Code::LEAKY_RELU: {
      const float slope = x.scale() * alpha / y.scale();
      const std::int64_t below = requantise(slope < 0 ? -u : u, fixed_factor(static_cast<double>(std::fabs(slope))));
      return (u >= 0 ? requantise(u, fixed_factor(ratio(x, y))) : below) + y.zero_point();
    }
    case Code::RSQRT: {
      if (u <= 0) return highest(x.type);
      FixedFactor root = inverse_root_factor(u);
      root.shift += 20;
      FixedFactor f = fixed_factor(1.0 / static_cast<double>(std::sqrt(x.scale()) * y.scale()));
      f.shift -= 20;
      return requantise(requantise(1, root), f) + y.zero_point();
    }
    default: {  // clamps in the input's units
      const float low = v.code == Code::RELU_N1_TO_1 ? -1.0F : 0.0F, high = v.code == Code::RELU6 ? 6.0F : 1.0F;
      const auto at = [&](float bound) {
        return std::clamp(static_cast<std::int64_t>(std::round(bound / x.scale())) + x.zero_point(), lowest(x.type),
                          highest(x.type));
      };
      return std::clamp(q, at(low), at(high));
    }
  }
}

}  // namespace

void make_functions(TfliteModel& model, Random& random, std::size_t index) {
  const FunctionVariant& v = kFunctionVariants[index % std::size(kFunctionVariants)];
  const Shape shape = random_broadcast(random, 4).y;
  TensorData x = random_data(random, v.type, shape, random_quantisation(random, v.type, 1e-2, 1));
  if (v.positive)
    for (float& f : x.floats) f = std::fabs(f) + 0.03125F;
  if (v.code == Code::RSQRT)
    for (std::int64_t& q : x.ints) q = std::max(q, x.zero_point());
  TensorData y{v.type, shape, random_quantisation(random, v.type), {}, {}};
  if (v.type != FLOAT32) {
    y.q.scales[0] = static_cast<float>(
        static_cast<double>(x.scale()) *
        (random.chance(20) ? std::ldexp(1.0, static_cast<int>(random.between(-10, 20))) : random.real(0.3, 3)));
    if (v.code == Code::RSQRT)
      y.q.scales[0] =
          static_cast<float>(random.real(0.2, 2) / std::sqrt(x.scale()) / static_cast<double>(highest(v.type)));
  }
  const float alpha = static_cast<float>(random.pick({0.1, 0.01, 2.5, -0.5}));
  for (const std::int64_t q : x.ints) y.ints.push_back(clamp_to(v.type, quantised_result(v, x, y, q, alpha)));
  for (const float f : x.floats)
    y.floats.push_back(v.real != nullptr ? static_cast<float>(v.real(static_cast<double>(f))) : f < 0 ? f * alpha : f);
  model.add_text(std::string(schema::EnumNameBuiltinOperator(v.code)) + " " + schema::EnumNameTensorType(v.type) + " " +
                 text(shape));
  const std::int32_t in = model.input(x), out = model.output(y, v.type == FLOAT32 ? 2e-6 : 0);
  schema::LeakyReluOptionsT options;
  options.alpha = alpha;
  if (v.code == Code::LEAKY_RELU)
    model.add(v.code, {in}, {out}, options);
  else
    model.add(v.code, {in}, {out});
}

}  // namespace byoc::test
