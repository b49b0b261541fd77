// LOGISTIC, TANH, ELU, HARD_SWISH: int8, int16 (the first two), float32.
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/fixed_functions.hpp"
#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

struct ActivationVariant {
  BuiltinOperator op;
  TensorType type;
};
constexpr ActivationVariant kActivationVariants[] = {
    {BuiltinOperator::LOGISTIC, INT8},      {BuiltinOperator::TANH, INT8},      {BuiltinOperator::ELU, INT8},
    {BuiltinOperator::HARD_SWISH, INT8},    {BuiltinOperator::LOGISTIC, INT16}, {BuiltinOperator::TANH, INT16},
    {BuiltinOperator::LOGISTIC, FLOAT32},   {BuiltinOperator::TANH, FLOAT32},   {BuiltinOperator::ELU, FLOAT32},
    {BuiltinOperator::HARD_SWISH, FLOAT32},
};

// 4 integer bits; what would not fit into them is an end of the range.
std::int64_t curve_s8(const ActivationVariant& v, const TensorData& x, std::int64_t q) {
  const std::int64_t d = q - x.zero_point();
  const FixedFactor factor = fixed_factor(static_cast<double>(x.scale()) * 134217728.0);
  const double radius = std::floor(15.0 * std::ldexp(1.0, 27 - factor.shift));
  if (static_cast<double>(std::abs(d)) >= radius) return d < 0 ? -128 : 127;
  const Fixed a{requantise(d, factor), 4};
  if (v.op == BuiltinOperator::TANH) return clamp_to(INT8, round_away(hyperbolic_tangent(a).raw, 24));
  return clamp_to(INT8, round_away(sigmoid(a).raw, 23) - 128);
}

// Positions in 1 / (3 * 4096): `steps` of them between entries of the table of sigmoid(i / 24).
std::int64_t curve_s16(const ActivationVariant& v, const TensorData& x, std::int64_t q) {
  const bool is_tanh = v.op == BuiltinOperator::TANH;
  std::int64_t position = 0;
  int exponent = 0;
  if (std::frexp(x.scale(), &exponent) == 0.5f && (exponent == -11 || (is_tanh && exponent == -10))) {
    position = q * (exponent == -11 ? 3 : 6);
  } else {
    double factor = static_cast<double>(x.scale()) * 12288;
    int bits = 0;
    for (; factor <= 32767.0 / 2 && bits < 31; ++bits) factor *= 2;
    position = round_up(static_cast<__int128>(q) * static_cast<std::int64_t>(factor), bits);
  }
  const std::int64_t steps = is_tanh ? 256 : 512;
  const std::int64_t at = std::abs(position) / steps;
  // sigmoid in 1 / (65536 * steps)
  std::int64_t y =
      at >= 255 ? (is_tanh ? 65535 : 65534) * steps
                : sigmoid_entry(at) * steps + std::abs(position) % steps * (sigmoid_entry(at + 1) - sigmoid_entry(at));
  // y, or 2 y - 1, in 1 / 32768 with halves up; of negative positions what is mirrored, one step down.
  if (is_tanh) return position >= 0 ? round_up(y - 32768 * 256, 8) : round_up(32768 * 256 - y - 1, 8);
  return position >= 0 ? round_up(y, 10) : round_up(65536 * steps - y - 1, 10);
}

std::int64_t elu_s8(const TensorData& x, const TensorData& y, std::int64_t q) {
  const float real = x.scale() * static_cast<float>(q - x.zero_point());
  const float value = real < 0 ? std::exp(real) - 1.0f : real;
  const double steps = std::round(static_cast<double>(value * (1 / y.scale())));
  return static_cast<std::int64_t>(std::clamp(steps + static_cast<double>(y.zero_point()), -128.0, 127.0));
}

std::int64_t hard_swish_s8(const TensorData& x, const TensorData& y, std::int64_t q) {
  const auto s16 = [](std::int64_t v) { return std::clamp<std::int64_t>(v, -32768, 32767); };
  const auto factor16 = [](FixedFactor f) { return std::min<std::int64_t>(round_up(f.value, 16), 32767); };
  const float fine = x.scale() / 128;
  const FixedFactor out = fixed_factor(static_cast<double>(fine / y.scale()));
  const FixedFactor gate = fixed_factor(static_cast<double>(fine / (3.0f / 32768.0f)));
  const std::int64_t v = (q - x.zero_point()) * 128;
  std::int64_t g = v;
  if (gate.shift > 0) {
    g = s16(v << (gate.shift - 1));
    g = s16(2 * round_up(g * factor16(gate), 15));
  } else {
    g = round_away(round_up(g * factor16(gate), 15), -gate.shift);
  }
  const std::int64_t open = (g + 32768) / 2;  // of 32768
  const std::int64_t product = open * round_up(v * factor16(out), 15) / 32768;
  return clamp_to(INT8, round_away(product, -out.shift) + y.zero_point());
}

float real_of(BuiltinOperator op, float x) {
  const double v = static_cast<double>(x);
  switch (op) {
    case BuiltinOperator::LOGISTIC: return static_cast<float>(1 / (1 + std::exp(-v)));
    case BuiltinOperator::TANH: return static_cast<float>(std::tanh(v));
    case BuiltinOperator::ELU: return static_cast<float>(v < 0 ? std::expm1(v) : v);
    default: return static_cast<float>(v * std::min(6.0, std::max(0.0, v + 3)) / 6);
  }
}

TfliteQuantisation output_quantisation(Random& random, const ActivationVariant& v, const TensorData& x) {
  if (v.type == FLOAT32) return {};
  if (v.type == INT16) return {{1.0f / 32768}, {0}, 0};
  if (v.op == BuiltinOperator::LOGISTIC) return {{1.0f / 256}, {-128}, 0};
  if (v.op == BuiltinOperator::TANH) return {{1.0f / 128}, {0}, 0};
  // HARD_SWISH: more than 1/128 of the input's.
  return random_quantisation(random, INT8, static_cast<double>(x.scale()) / 100, static_cast<double>(x.scale()) * 4);
}

}  // namespace

void make_activations(TfliteModel& model, Random& random, std::size_t index) {
  const ActivationVariant& v = kActivationVariants[index % std::size(kActivationVariants)];
  TfliteQuantisation q = random_quantisation(random, v.type, 1e-3, 0.5);
  if (v.type == INT16)
    q = {{random.chance(50) ? std::ldexp(1.0f, static_cast<int>(random.between(-16, -8))) : random.scale(1e-5, 1e-2)},
         {0},
         0};
  TensorData x = random_data(random, v.type, {random.size(1, 3), random.size(1, 300)}, q);
  if (v.type == INT8 && random.chance(50)) {  // every element once
    x.shape = {256};
    x.ints.clear();
    for (std::int64_t i = -128; i < 128; ++i) x.ints.push_back(i);
  }
  TensorData y{v.type, x.shape, output_quantisation(random, v, x), {}, {}};
  for (const float f : x.floats) y.floats.push_back(real_of(v.op, f));
  for (const std::int64_t i : x.ints)
    y.ints.push_back(v.type == INT16                       ? curve_s16(v, x, i)
                     : v.op == BuiltinOperator::ELU        ? elu_s8(x, y, i)
                     : v.op == BuiltinOperator::HARD_SWISH ? hard_swish_s8(x, y, i)
                                                           : curve_s8(v, x, i));
  model.add_text(schema::EnumNameBuiltinOperator(v.op) + std::string(" of type ") +
                 std::to_string(static_cast<int>(v.type)) + ", scale " + std::to_string(x.scale()));
  model.add(v.op, {model.input(x)}, {model.output(y, 1e-5)});
}

}  // namespace byoc::test
