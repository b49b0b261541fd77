// ADD, SUB, MUL, DIV, SQUARED_DIFFERENCE, MAXIMUM, MINIMUM, PRELU, FLOOR_DIV, FLOOR_MOD and ADD_N.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Code = BuiltinOperator;

struct Operands {
  const TensorData &a, &b, &y;
  std::int64_t u = 0, v = 0;  // without their zero points
};

double scale(const TensorData& t) { return static_cast<double>(t.scale()); }

std::int64_t scaled(std::int64_t x, int left, double factor) {
  return requantise(x * (std::int64_t{1} << left), fixed_factor(factor));
}

template <class Real>
std::int64_t sum(const Operands& o, int sign) {
  const int left = o.a.type == INT16 ? 15 : 20;
  const auto a = static_cast<Real>(o.a.scale()), b = static_cast<Real>(o.b.scale()), y = static_cast<Real>(o.y.scale());
  const Real twice = 2 * std::max(a, b);
  const std::int64_t total =
      scaled(o.u, left, static_cast<double>(a / twice)) + sign * scaled(o.v, left, static_cast<double>(b / twice));
  return requantise(total, fixed_factor(static_cast<double>(twice / (static_cast<Real>(1 << left) * y))));
}

std::int64_t squared_difference(const Operands& o) {
  const int left = o.a.type == INT16 ? 0 : 7;
  const double twice = 2 * std::max(scale(o.a), scale(o.b));
  const std::int64_t d = scaled(o.u, left, scale(o.a) / twice) - scaled(o.v, left, scale(o.b) / twice);
  return requantise(d * d, fixed_factor(twice * twice / (std::ldexp(1.0, 2 * left) * scale(o.y))));
}

// (1 + d)^-1 in 31 bits as gemmlowp's three Newton steps leave it; numbers with `bits` fractional bits in __int128.
std::int64_t reciprocal(std::int64_t fraction) {
  const auto times = [](std::int64_t a, std::int64_t b) { return round_up(static_cast<__int128>(a) * b, 31); };
  const auto saturated = [](std::int64_t v) { return std::clamp(v, lowest(INT32), highest(INT32)); };
  const std::int64_t half = (fraction + highest(INT32) + 1) / 2;
  std::int64_t x = 1515870810 + times(half, -1010580540);
  for (int i = 0; i < 3; ++i) x += saturated(times(x, (1 << 29) - times(half, x)) * 4);
  return saturated(x * 2);
}

std::int64_t quotient(const Operands& o) {
  if (o.v == 0) return 0;
  std::int64_t u = o.u, v = o.v;
  if (v < 0) u = -u, v = -v;
  int whole = 0;  // v is 2^whole * (1 + fraction)
  while (v >> (whole + 1) != 0) ++whole;
  const std::int64_t inverse = reciprocal((v << (31 - whole)) - (std::int64_t{1} << 31));
  int headroom = 0;
  while (headroom < 31 && u << (headroom + 1) <= highest(INT32) && u << (headroom + 1) >= lowest(INT32)) ++headroom;
  const FixedFactor f = fixed_factor(static_cast<double>(o.a.scale() / (o.b.scale() * o.y.scale())));
  const std::int64_t unscaled = round_up(static_cast<__int128>(u << headroom) * inverse, 31);
  return round_away(round_up(static_cast<__int128>(unscaled) * f.value, 31), std::min(whole + headroom - f.shift, 31));
}

std::int64_t product(const Operands& o) {
  return requantise(o.u * o.v, fixed_factor(scale(o.a) * scale(o.b) / scale(o.y)));
}

std::int64_t prelu(const Operands& o) {
  return o.u >= 0 ? requantise(o.u, fixed_factor(scale(o.a) / scale(o.y))) : product(o);
}

struct ArithmeticVariant {
  Code code;
  TensorType type;
  std::int64_t (*quantised)(const Operands&);
  double (*real)(double, double);
  std::int64_t (*whole)(std::int64_t, std::int64_t) = nullptr;
};

double floor_mod(double a, double b) {
  const float r = std::fmod(static_cast<float>(a), static_cast<float>(b));
  return static_cast<double>(r != 0 && (r < 0) != (b < 0) ? r + static_cast<float>(b) : r);
}

std::int64_t add(const Operands& o) { return sum<double>(o, 1); }
std::int64_t subtract(const Operands& o) { return sum<float>(o, -1); }
std::int64_t largest(const Operands& o) { return std::max(o.u + o.a.zero_point(), o.v + o.b.zero_point()); }
std::int64_t smallest(const Operands& o) { return std::min(o.u + o.a.zero_point(), o.v + o.b.zero_point()); }

constexpr double (*kAdd)(double, double) = [](double a, double b) { return a + b; };
constexpr double (*kSub)(double, double) = [](double a, double b) { return a - b; };
constexpr double (*kMul)(double, double) = [](double a, double b) { return a * b; };
constexpr double (*kDiv)(double, double) = [](double a, double b) { return a / b; };
constexpr double (*kMax)(double, double) = [](double a, double b) { return std::max(a, b); };
constexpr double (*kMin)(double, double) = [](double a, double b) { return std::min(a, b); };
constexpr double (*kSquared)(double, double) = [](double a, double b) { return (a - b) * (a - b); };
constexpr double (*kPrelu)(double, double) = [](double a, double b) { return a < 0 ? a * b : a; };
constexpr double (*kFloorDiv)(double, double) = [](double a, double b) { return std::floor(a / b); };
constexpr std::int64_t (*kMaxInt)(std::int64_t, std::int64_t) = [](std::int64_t a, std::int64_t b) {
  return std::max(a, b);
};
constexpr std::int64_t (*kMinInt)(std::int64_t, std::int64_t) = [](std::int64_t a, std::int64_t b) {
  return std::min(a, b);
};
constexpr std::int64_t (*kAddInt)(std::int64_t, std::int64_t) = [](std::int64_t a, std::int64_t b) { return a + b; };
constexpr std::int64_t (*kSubInt)(std::int64_t, std::int64_t) = [](std::int64_t a, std::int64_t b) { return a - b; };
constexpr std::int64_t (*kMulInt)(std::int64_t, std::int64_t) = [](std::int64_t a, std::int64_t b) { return a * b; };
constexpr std::int64_t (*kDivInt)(std::int64_t, std::int64_t) = [](std::int64_t a, std::int64_t b) { return a / b; };
constexpr std::int64_t (*kSquaredInt)(std::int64_t, std::int64_t) = [](std::int64_t a, std::int64_t b) {
  return (a - b) * (a - b);
};

constexpr ArithmeticVariant kArithmeticVariants[] = {
    {Code::ADD, INT8, add, nullptr},
    {Code::ADD, INT16, add, nullptr},
    {Code::ADD, FLOAT32, nullptr, kAdd},
    {Code::ADD, INT32, nullptr, nullptr, kAddInt},
    {Code::SUB, INT8, subtract, nullptr},
    {Code::SUB, INT16, subtract, nullptr},
    {Code::SUB, FLOAT32, nullptr, kSub},
    {Code::SUB, INT64, nullptr, nullptr, kSubInt},
    {Code::MUL, INT8, product, nullptr},
    {Code::MUL, INT16, product, nullptr},
    {Code::MUL, FLOAT32, nullptr, kMul},
    {Code::MUL, INT32, nullptr, nullptr, kMulInt},
    {Code::DIV, INT8, quotient, nullptr},
    {Code::DIV, FLOAT32, nullptr, kDiv},
    {Code::DIV, INT32, nullptr, nullptr, kDivInt},
    {Code::SQUARED_DIFFERENCE, INT8, squared_difference, nullptr},
    {Code::SQUARED_DIFFERENCE, INT16, squared_difference, nullptr},
    {Code::SQUARED_DIFFERENCE, FLOAT32, nullptr, kSquared},
    {Code::SQUARED_DIFFERENCE, INT32, nullptr, nullptr, kSquaredInt},
    {Code::MAXIMUM, INT8, largest, nullptr},
    {Code::MAXIMUM, INT16, largest, nullptr},
    {Code::MAXIMUM, FLOAT32, nullptr, kMax},
    {Code::MAXIMUM, INT64, nullptr, nullptr, kMaxInt},
    {Code::MINIMUM, INT8, smallest, nullptr},
    {Code::MINIMUM, INT16, smallest, nullptr},
    {Code::MINIMUM, FLOAT32, nullptr, kMin},
    {Code::MINIMUM, INT32, nullptr, nullptr, kMinInt},
    {Code::PRELU, INT8, prelu, nullptr},
    {Code::PRELU, INT16, prelu, nullptr},
    {Code::PRELU, FLOAT32, nullptr, kPrelu},
    {Code::FLOOR_DIV, FLOAT32, nullptr, kFloorDiv},
    {Code::FLOOR_MOD, FLOAT32, nullptr, floor_mod},
};

std::int64_t activate_whole(ActivationFunctionType activation, std::int64_t v) {
  using enum ActivationFunctionType;
  if (activation == RELU) return std::max<std::int64_t>(v, 0);
  if (activation == RELU6) return std::clamp<std::int64_t>(v, 0, 6);
  return activation == RELU_N1_TO_1 ? std::clamp<std::int64_t>(v, -1, 1) : v;
}

bool fuses(Code code) { return code == Code::ADD || code == Code::SUB || code == Code::MUL || code == Code::DIV; }

void add_operator(TfliteModel& model, Code code, std::vector<std::int32_t> inputs, std::int32_t output,
                  ActivationFunctionType activation) {
  const auto with = [&](auto options) {
    options.fused_activation_function = activation;
    model.add(code, inputs, {output}, options);
  };
  switch (code) {
    case Code::ADD: return with(schema::AddOptionsT());
    case Code::SUB: return with(schema::SubOptionsT());
    case Code::MUL: return with(schema::MulOptionsT());
    case Code::DIV: return with(schema::DivOptionsT());
    default: return model.add(code, inputs, {output});
  }
}

// An output scale for which results spread over the type, are tiny, or saturate.
void choose_scale(Random& random, const ArithmeticVariant& v, const TensorData& a, const TensorData& b, TensorData& y) {
  y.q = random_quantisation(random, v.type);
  const double range = static_cast<double>(highest(v.type));
  const double ra = scale(a) * range, rb = scale(b) * range;
  double real = std::max(ra, rb);
  if (v.code == Code::MUL || v.code == Code::PRELU) real = ra * rb;
  if (v.code == Code::SQUARED_DIFFERENCE) real = std::max(ra, rb) * std::max(ra, rb);
  if (v.code == Code::DIV) real = scale(a) / scale(b) * 8;
  const double factor =
      random.chance(20) ? std::ldexp(1.0, static_cast<int>(random.between(8, 24))) : random.real(0.2, 3);
  y.q.scales[0] = static_cast<float>(real / range * factor);
}

}  // namespace

void make_arithmetic(TfliteModel& model, Random& random, std::size_t index) {
  const ArithmeticVariant& v = kArithmeticVariants[index % std::size(kArithmeticVariants)];
  BroadcastShapes shapes = random_broadcast(random, 5);
  if (v.code == Code::PRELU) shapes.a = shapes.y;
  const bool quantised = v.quantised != nullptr;
  const auto q = [&] { return quantised ? random_quantisation(random, v.type) : TfliteQuantisation(); };
  TensorData a, b;
  if (v.type == INT32 || v.type == INT64) {
    a = random_data(random, v.type, shapes.a, {}, -30000, 30000);
    b = random_data(random, v.type, shapes.b, {}, -30000, 30000);
  } else {
    a = random_data(random, v.type, shapes.a, q());
    // The slopes of int16 are int8 in most models.
    const bool narrow = v.code == Code::PRELU && v.type == INT16 && random.chance(70);
    b = narrow ? random_data(random, INT8, shapes.b, random_quantisation(random, INT8))
               : random_data(random, v.type, shapes.b, q());
  }
  if (v.code == Code::DIV || v.code == Code::FLOOR_DIV || v.code == Code::FLOOR_MOD) {
    for (std::int64_t& i : b.ints)
      if (i == 0 && !quantised) i = 3;
    for (float& f : b.floats)
      if (f == 0) f = 0.375F;
  }
  const ActivationFunctionType activation = fuses(v.code) ? random_activation(random) : ActivationFunctionType::NONE;
  TensorData y{v.type, shapes.y, {}, {}, {}};
  if (quantised) choose_scale(random, v, a, b, y);
  const IntRange range = quantised ? activation_range(activation, y) : IntRange{0, 0};
  const bool moves = v.code == Code::MAXIMUM || v.code == Code::MINIMUM;
  for_each_pair(shapes, [&](std::size_t i, std::size_t k) {
    if (v.real != nullptr) {
      y.floats.push_back(activate(
          activation, static_cast<float>(v.real(static_cast<double>(a.floats[i]), static_cast<double>(b.floats[k])))));
    } else if (v.whole != nullptr) {
      y.ints.push_back(activate_whole(activation, v.whole(a.ints[i], b.ints[k])));
    } else {
      const std::int64_t r = v.quantised({a, b, y, a.ints[i] - a.zero_point(), b.ints[k] - b.zero_point()});
      y.ints.push_back(moves ? r : std::clamp(r + y.zero_point(), range.low, range.high));
    }
  });
  model.add_text(std::string(schema::EnumNameBuiltinOperator(v.code)) + " " + schema::EnumNameTensorType(v.type) + " " +
                 text(shapes.a) + " and " + text(shapes.b));
  const bool constant = random.chance(30);
  const std::int32_t left = model.input(a), right = constant ? model.constant(b) : model.input(b);
  add_operator(model, v.code, {left, right}, model.output(y, v.type == FLOAT32 ? 1e-6 : 0), activation);
}

void make_add_n(TfliteModel& model, Random& random, std::size_t index) {
  const TensorType type = index % 2 == 0 ? INT8 : FLOAT32;
  const Shape shape = random_broadcast(random, 4).y;
  const std::int32_t count = random.size(2, 6);
  const TfliteQuantisation q = random_quantisation(random, type);
  TensorData y{type, shape, random_quantisation(random, type), {}, {}};
  std::vector<TensorData> inputs;
  for (std::int32_t i = 0; i < count; ++i) inputs.push_back(random_data(random, type, shape, q));
  if (type == INT8) y.q.scales[0] = static_cast<float>(scale(inputs[0]) * random.real(0.5, 4));
  for (std::size_t i = 0; i < y.elements(); ++i) {
    double real = 0;
    // The kernel sums one operand more, whose integers are 0.
    std::int64_t total = type == INT8 ? scaled(-inputs[0].zero_point(), 20, 0.5) : 0;
    for (const TensorData& x : inputs)
      if (type == FLOAT32)
        real += static_cast<double>(x.floats[i]);
      else
        total += scaled(x.ints[i] - x.zero_point(), 20, 0.5);
    if (type == FLOAT32)
      y.floats.push_back(static_cast<float>(real));
    else
      y.ints.push_back(clamp_to(
          INT8,
          requantise(total, fixed_factor(2 * scale(inputs[0]) / (std::ldexp(1.0, 20) * scale(y)))) + y.zero_point()));
  }
  model.add_text("ADD_N of " + std::to_string(count) + " " + schema::EnumNameTensorType(type) + text(shape));
  std::vector<std::int32_t> ids;
  for (const TensorData& x : inputs)
    ids.push_back(random.chance(20) && !ids.empty() ? model.constant(x) : model.input(x));
  model.add(BuiltinOperator::ADD_N, ids, {model.output(y)}, schema::AddNOptionsT());
}

}  // namespace byoc::test
