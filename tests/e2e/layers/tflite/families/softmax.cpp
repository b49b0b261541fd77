// SOFTMAX (int8, int8 to int16, int16, float32), LOG_SOFTMAX (int8, float32), L2_NORMALIZATION (int8, float32).
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/fixed_functions.hpp"
#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Row = std::vector<std::int64_t>;

struct SoftmaxVariant {
  BuiltinOperator op;
  TensorType from, to;
  float scale;
  std::int64_t zero_point;
};
constexpr SoftmaxVariant kSoftmaxVariants[] = {
    {BuiltinOperator::SOFTMAX, INT8, INT8, 1.0f / 256, -128},
    {BuiltinOperator::SOFTMAX, INT8, INT16, 1.0f / 65536, -32768},
    {BuiltinOperator::SOFTMAX, INT16, INT16, 1.0f / 32768, 0},
    {BuiltinOperator::LOG_SOFTMAX, INT8, INT8, 1.0f / 16, 127},
    {BuiltinOperator::L2_NORMALIZATION, INT8, INT8, 1.0f / 128, 0},
    {BuiltinOperator::SOFTMAX, FLOAT32, FLOAT32, 0, 0},
    {BuiltinOperator::LOG_SOFTMAX, FLOAT32, FLOAT32, 0, 0},
    {BuiltinOperator::L2_NORMALIZATION, FLOAT32, FLOAT32, 0, 0},
};

// Differences to the largest with 5 integer bits; those beyond the radius of the input count as nothing.
struct Differences {
  FixedFactor factor;
  std::int64_t least;

  explicit Differences(double scale) : factor(fixed_factor(std::min(scale * 67108864.0, 2147483647.0))) {
    least = -static_cast<std::int64_t>(std::floor(31.0 * std::ldexp(1.0, 26 - factor.shift)));
  }
  [[nodiscard]] Fixed operator()(std::int64_t d) const { return {requantise(d, factor), 5}; }
  [[nodiscard]] std::int64_t sum(const Row& row, std::int64_t largest) const {
    std::int64_t out = 0;  // 12 bits
    for (const std::int64_t v : row)
      if (v - largest >= least) out += rescaled(exp_of_negative((*this)(v - largest)), 12).raw;
    return out;
  }
};

Row softmax_s8(const Row& row, double scale, int bits) {
  const Differences differences(scale);
  const std::int64_t largest = *std::max_element(row.begin(), row.end());
  std::int64_t sum = differences.sum(row, largest);
  // The sum as [1, 2) * 2^k.
  int k = 12;
  for (; sum < std::int64_t{1} << 31; --k) sum *= 2;
  const Fixed reciprocal = reciprocal_of_one_plus({sum - (std::int64_t{1} << 31), 0});
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  Row out;
  for (const std::int64_t v : row) {
    const std::int64_t y =
        v - largest < differences.least
            ? 0
            : round_away((reciprocal * exp_of_negative(differences(v - largest))).raw, k + 31 - bits);
    out.push_back(std::min(y, 2 * half - 1) - half);
  }
  return out;
}

Row log_softmax_s8(const Row& row, double scale) {
  const Differences differences(scale);
  const std::int64_t largest = *std::max_element(row.begin(), row.end());
  const Fixed log_sum = log_of({differences.sum(row, largest), 12});
  const FixedFactor reverse =
      fixed_factor(std::ldexp(1.0, 31 - differences.factor.shift) / static_cast<double>(differences.factor.value));
  const std::int64_t least =
      std::max(differences.least - 1, requantise(log_sum.raw - (std::int64_t{1} << 31), reverse));
  Row out;
  for (const std::int64_t v : row)
    out.push_back(
        v - largest <= least ? -128 : clamp_to(INT8, round_away((differences(v - largest) - log_sum).raw, 22) + 127));
  return out;
}

// 512 steps of f over [low, high] and the end, corrected by half the error of interpolation in the middle of each.
std::vector<std::int64_t> table(float (*f)(float), float low, float high) {
  std::vector<std::int64_t> out;
  const float step = (high - low) / 512;
  const auto entry = [](float v) { return std::clamp<std::int64_t>(std::lround(v), -32768, 32767); };
  for (int i = 0; i < 512; ++i) {
    const float x = low + static_cast<float>(i) * step;
    const float at = std::round(f(x) * 32768), middle = std::round(f(x + step / 2) * 32768);
    const float next = f(low + static_cast<float>(i + 1) * step) * 32768;
    out.push_back(entry(at - std::round((std::round((next + at) / 2) - middle) / 2)));
  }
  out.push_back(entry(std::round(f(high) * 32768)));
  return out;
}

std::int64_t look_up(const std::vector<std::int64_t>& t, std::int64_t x) {
  const std::int64_t v = clamp_to(INT16, x) + 32768;
  const auto i = static_cast<std::size_t>(v / 128);
  return t[i] + round_up((t[i + 1] - t[i]) * (v % 128), 7);
}

Row softmax_s16(const Row& row, double scale) {
  static const auto kExp = table([](float x) { return std::exp(x); }, -10, 0);
  static const auto kReciprocal = table([](float x) { return 1 / (1 + x); }, 0, 1);
  const FixedFactor factor = fixed_factor(scale / (10.0 / 65535.0));
  const std::int64_t largest = *std::max_element(row.begin(), row.end());
  Row out;
  std::int64_t sum = 0;  // in 1 / 32768
  for (const std::int64_t v : row) {
    out.push_back(look_up(kExp, requantise(v - largest, factor) + 32767));
    sum += out.back();
  }
  int k = 0;
  while (sum >> (k + 1)) ++k;  // sum = [1, 2) * 2^k
  const std::int64_t above_one = round_up(sum << (30 - k), 14) - 65536;
  const std::int64_t reciprocal = look_up(kReciprocal, above_one - 32768);
  for (std::int64_t& v : out) v = std::clamp<std::int64_t>(round_up(v * reciprocal, k), 0, 32767);
  return out;
}

Row l2_s8(const Row& row, std::int64_t zero_point) {
  std::int64_t sum = 0;
  for (const std::int64_t v : row) sum += (v - zero_point) * (v - zero_point);
  const InverseRoot root = inverse_root(sum);
  Row out;
  for (const std::int64_t v : row)
    out.push_back(clamp_to(INT8, requantise(v - zero_point, {root.value, root.shift + 7})));
  return out;
}

std::vector<float> real_row(const SoftmaxVariant& v, const std::vector<float>& row, float beta) {
  std::vector<float> out;
  double largest = -1e30, sum = 0, squares = 0;
  for (const float x : row) largest = std::max(largest, static_cast<double>(x));
  for (const float x : row) {
    sum += std::exp((static_cast<double>(x) - largest) * static_cast<double>(beta));
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  for (const float f : row) {
    const double x = static_cast<double>(f), e = (x - largest) * static_cast<double>(beta);
    out.push_back(static_cast<float>(v.op == BuiltinOperator::SOFTMAX       ? std::exp(e) / sum
                                     : v.op == BuiltinOperator::LOG_SOFTMAX ? e - std::log(sum)
                                                                            : x / std::max(std::sqrt(squares), 1e-6)));
  }
  return out;
}

}  // namespace

void make_softmax(TfliteModel& model, Random& random, std::size_t index) {
  const SoftmaxVariant& v = kSoftmaxVariants[index % std::size(kSoftmaxVariants)];
  const std::int32_t rows = random.size(1, 4), depth = random.chance(10) ? 700 : random.size(1, 40);
  const float beta = v.op == BuiltinOperator::SOFTMAX && random.chance(50) ? random.scale(0.2, 3) : 1.0f;
  TensorData x = random_data(random, v.from, {rows, depth}, random_quantisation(random, v.from, 1e-4, 2));
  if (v.from == INT16 && random.chance(50)) x.q.scales[0] = random.scale(1e-6, 1e-3);
  if (random.chance(20)) {  // a row of equal elements
    for (std::int32_t i = 1; i < depth; ++i) {
      if (x.is_float()) x.floats[static_cast<std::size_t>(i)] = x.floats[0];
      if (!x.is_float()) x.ints[static_cast<std::size_t>(i)] = x.ints[0];
    }
  }
  TensorData y{v.to, x.shape, {}, {}, {}};
  if (!x.is_float()) y.q = {{v.scale}, {v.zero_point}, 0};
  const double scale = static_cast<double>(x.scale()) * static_cast<double>(beta);
  for (std::int32_t r = 0; r < rows; ++r) {
    if (x.is_float()) {
      const auto begin = x.floats.begin() + r * depth;
      const auto row = real_row(v, {begin, begin + depth}, beta);
      y.floats.insert(y.floats.end(), row.begin(), row.end());
      continue;
    }
    const auto begin = x.ints.begin() + r * depth;
    const Row in(begin, begin + depth);
    const Row row = v.op == BuiltinOperator::L2_NORMALIZATION ? l2_s8(in, x.zero_point())
                    : v.op == BuiltinOperator::LOG_SOFTMAX    ? log_softmax_s8(in, scale)
                    : v.from == INT16                         ? softmax_s16(in, scale)
                                                              : softmax_s8(in, scale, v.to == INT8 ? 8 : 16);
    y.ints.insert(y.ints.end(), row.begin(), row.end());
  }
  model.add_text(schema::EnumNameBuiltinOperator(v.op) + std::string(" variant ") +
                 std::to_string(index % std::size(kSoftmaxVariants)) + ", " + std::to_string(rows) + " x " +
                 std::to_string(depth) + ", scale " + std::to_string(scale));
  const auto in = model.input(x);
  const auto out = model.output(y, 2e-5);
  if (v.op == BuiltinOperator::SOFTMAX) {
    schema::SoftmaxOptionsT options;
    options.beta = beta;
    model.add(v.op, {in}, {out}, options, 3);
  } else if (v.op == BuiltinOperator::LOG_SOFTMAX) {
    model.add(v.op, {in}, {out}, schema::LogSoftmaxOptionsT());
  } else {
    model.add(v.op, {in}, {out}, schema::L2NormOptionsT());
  }
}

}  // namespace byoc::test
