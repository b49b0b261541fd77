#include "tests/e2e/layers/onnx/products.hpp"

#include <algorithm>
#include <cmath>

namespace byoc::test {
namespace {

constexpr std::int64_t kLargestBias = std::int64_t{1} << 28;

double width(TensorType type) { return static_cast<double>(highest(type) - lowest(type)); }

float weight_scale(const OnnxProduct& p, std::size_t channel) {
  return p.weights.q.scales[p.weights.q.scales.size() == 1 ? 0 : channel];
}

float factor(const OnnxProduct& p, const TensorData& y, std::size_t channel) {
  return p.x.scale() * weight_scale(p, channel) / y.scale();
}

double step(const OnnxProduct& p, std::size_t channel) {
  return static_cast<double>(p.x.scale()) * static_cast<double>(weight_scale(p, channel));
}

void make_powers_of_two(TensorData& t) {
  for (float& s : t.q.scales) s = power_of_two(static_cast<double>(s));
}

bool has_powers_of_two(const TensorData& t) {
  return std::ranges::all_of(t.q.scales, [](float s) { return s == power_of_two(static_cast<double>(s)); });
}

// Both or none of the operands' scales are powers of two mostly.
void align_scales(Random& random, OnnxProduct& p, bool are_powers) {
  if (are_powers) make_powers_of_two(p.weights);
  if (are_powers || (has_powers_of_two(p.weights) && random.chance(80))) make_powers_of_two(p.x);
}

// Results of a sensible size, of nearly nothing, or beyond the range.
TensorData random_result(Random& random, const OnnxProduct& p) {
  double largest = 0;
  for (std::size_t i = 0; i < p.sums.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(p.sums[i])) * step(p, p.channel(i)));
  double scale = largest == 0 ? 1 : largest / width(p.types.y) * random.real(0.5, 5);
  if (random.chance(8)) scale *= static_cast<double>(random.scale(2, 1e6));
  if (random.chance(8)) scale = step(p, 0) / static_cast<double>(random.scale(1, 1e3));
  const bool makes_ties = has_powers_of_two(p.weights) && has_powers_of_two(p.x);
  const bool is_power = random.chance(makes_ties ? 80 : 20);
  return {p.types.y,
          p.shape,
          {{is_power ? power_of_two(scale) : static_cast<float>(scale)}, {any_zero_point(random, p.types.y)}, -1},
          {},
          {}};
}

void fill(TensorData& y, const OnnxProduct& p, SumRounding rounding, const OnnxClamp& clamp) {
  for (std::size_t i = 0; i < p.sums.size(); ++i) {
    const float f = factor(p, y, p.channel(i));
    const std::int64_t q = rounding == SumRounding::exact ? scaled(p.sums[i], f) : scaled_literally(p.sums[i], f);
    y.ints.push_back(clamped(clamp_to(y.type, q + y.zero_point()), clamp, y));
  }
}

bool has_bytes(const OnnxProductTypes& t) {
  return highest(t.x) <= 255 && highest(t.weights) <= 255 && highest(t.y) <= 255;
}

double largest_real(const OnnxProduct& p) {
  double out = 0;
  for (std::size_t c = 0; c < p.weights.q.scales.size(); ++c)
    out = std::max(out, static_cast<double>(p.largest) * step(p, c));
  return out;
}

// Sums of float32, in some order.
std::string output_sums(OnnxModel& model, const OnnxProduct& p) {
  TensorData y{TensorType::FLOAT32, p.shape, {}, {}, {}};
  for (std::size_t i = 0; i < p.sums.size(); ++i)
    y.floats.push_back(static_cast<float>(static_cast<double>(p.sums[i]) * step(p, p.channel(i))));
  return model.output(y, 1e-5 + 1e-6 * largest_real(p));
}

std::string output_real(OnnxModel& model, const OnnxProduct& p, const TensorData& y, const OnnxClamp& clamp) {
  std::vector<double> expected;
  for (std::size_t i = 0; i < p.sums.size(); ++i) {
    double real = static_cast<double>(p.sums[i]) * step(p, p.channel(i));
    if (clamp.low) real = std::max(real, static_cast<double>(*clamp.low));
    if (clamp.high) real = std::min(real, static_cast<double>(*clamp.high));
    expected.push_back(steps(real, y));
  }
  return model.output_near(y, std::move(expected), 1e-3 + 1e-6 * largest_real(p) / static_cast<double>(y.scale()),
                           false);
}

// Weights near their zero points: small sums, of which many are half way between two results where scales are powers of
// two.
void make_small(Random& random, TensorData& w, std::int32_t axis) {
  std::size_t i = 0;
  for_each_index(w.shape, [&](const Index& at) {
    const std::int64_t zero = zero_point(w, at[static_cast<std::size_t>(axis)]);
    w.ints[i++] = clamp_to(w.type, zero + random.between(-3, 3));
  });
}

// About as large as the sums, now and then as large as it may be.
std::vector<std::int64_t> random_bias(Random& random, const OnnxProduct& p, std::size_t count) {
  std::int64_t largest = 1;
  for (const std::int64_t s : p.sums) largest = std::max(largest, std::abs(s));
  largest = random.chance(10) ? kLargestBias : std::min(largest, kLargestBias);
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(random.between(-largest, largest));
  return out;
}

void add_bias(OnnxProduct& p, const std::vector<std::int64_t>& bias) {
  for (std::size_t i = 0; i < p.sums.size(); ++i) p.sums[i] += bias[bias.size() == 1 ? 0 : p.channel(i)];
}

// In steps of the products, as their scales say.
std::string quantised_bias(OnnxModel& model, const OnnxProduct& p, const std::vector<std::int64_t>& bias,
                           const Shape& shape) {
  TensorData b{TensorType::INT32, shape, {{}, {}, -1}, bias, {}};
  for (std::size_t c = 0; c < p.weights.q.scales.size(); ++c) {
    b.q.scales.push_back(p.x.scale() * p.weights.q.scales[c]);
    b.q.zero_points.push_back(0);
  }
  if (p.weights.q.axis >= 0) b.q.axis = 0;
  return model.dequantised_constant(b);
}

// Real numbers that are whole steps but for rounding to float32; none where that rounding could matter.
std::optional<TensorData> real_bias(const OnnxProduct& p, const TensorData& y, const std::vector<std::int64_t>& bias,
                                    const Shape& shape) {
  TensorData b{TensorType::FLOAT32, shape, {}, {}, {}};
  for (std::size_t c = 0; c < static_cast<std::size_t>(p.channels); ++c) {
    const std::int64_t k = bias[bias.size() == 1 ? 0 : c];
    const auto value = static_cast<float>(static_cast<double>(k) * step(p, c));
    const double drift = std::abs(static_cast<double>(value) / step(p, c) - static_cast<double>(k));
    if (drift > 0.25 || drift * static_cast<double>(factor(p, y, c)) > 1.0 / 64) return {};
    if (b.floats.size() < bias.size()) b.floats.push_back(value);
  }
  return b;
}

// A bias half way between two steps: where half a step is more than 1/32 of the result's, the product stays real, else
// it becomes the even step. Scales are powers of two and sums small, so that sums of float32 are exact.
std::string bias_between_steps(OnnxModel& model, Random& random, const OnnxProduct& p, TensorData& y,
                               const Shape& shape, const OnnxClamp& clamp) {
  TensorData b{TensorType::FLOAT32, shape, {}, {}, {}};
  std::vector<std::int64_t> bias;
  bool is_real = false;
  for (std::size_t c = 0; c < static_cast<std::size_t>(p.channels); ++c) {
    bias.push_back(random.between(-1000, 1000));
    b.floats.push_back(static_cast<float>((static_cast<double>(bias[c]) + 0.5) * step(p, c)));
    is_real = is_real || 0.5 * static_cast<double>(factor(p, y, c)) > 1.0 / 32;
  }
  for (std::size_t i = 0; i < p.sums.size(); ++i) {
    const std::size_t c = p.channel(i);
    const std::int64_t doubled = is_real ? 2 * bias[c] + 1 : 2 * (bias[c] + (bias[c] % 2 == 0 ? 0 : 1));
    const std::int64_t q = scaled(2 * p.sums[i] + doubled, 0.5f * factor(p, y, c));
    y.ints.push_back(clamped(clamp_to(y.type, q + y.zero_point()), clamp, y));
  }
  model.add_text(is_real ? ", stays real" : ", bias rounded");
  return model.constant(b);
}

}  // namespace

std::string text(const OnnxProductTypes& t) {
  std::string out;
  for (const TensorType type : {t.x, t.weights, t.y}) out += std::string(schema::EnumNameTensorType(type)) + " ";
  return out + (t.per_axis ? "per axis" : "per tensor");
}

std::int32_t largest_depth(const OnnxProductTypes& t) {
  const std::int64_t w = t.weight_zero ? 255 : 128;
  return static_cast<std::int32_t>(((std::int64_t{1} << 31) - 1 - kLargestBias) /
                                   (static_cast<std::int64_t>(width(t.x)) * w));
}

TensorData random_activations(Random& random, const OnnxProductTypes& t, Shape shape) {
  return random_data(random, t.x, std::move(shape), onnx_quantisation(random, t.x));
}

TensorData random_weights(Random& random, const OnnxProductTypes& t, Shape shape, std::int32_t axis) {
  TfliteQuantisation q{{}, {}, t.per_axis ? axis : -1};
  const std::int32_t count = t.per_axis ? shape[static_cast<std::size_t>(axis)] : 1;
  const float usual = random.scale(1e-3, 0.1);
  const bool are_powers = random.chance(35);
  for (std::int32_t c = 0; c < count; ++c) {
    const double scale = static_cast<double>(usual) * random.real(0.2, 2) * (random.chance(5) ? 300 : 1);
    q.scales.push_back(are_powers ? power_of_two(scale) : static_cast<float>(scale));
    q.zero_points.push_back(t.weight_zero                    ? any_zero_point(random, t.weights)
                            : t.weights == TensorType::UINT8 ? 128
                                                             : 0);
  }
  TensorData w = random_data(random, t.weights, std::move(shape), std::move(q));
  if (random.chance(are_powers ? 70 : 10)) make_small(random, w, axis);
  return w;
}

std::int64_t zero_point(const TensorData& weights, std::int32_t channel) {
  return weights.q.zero_points[weights.q.zero_points.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
}

OnnxClamp random_clamp(Random& random) {
  if (random.chance(50)) return {};
  if (random.chance(40)) return {"Relu", 0.0f, {}};
  OnnxClamp c{"Clip", {}, {}};
  switch (random.between(0, 3)) {
    case 0: return {"Clip", 0.0f, 6.0f};
    case 1: return {"Clip", -1.0f, 1.0f};
    case 2: c.low = static_cast<float>(random.real(-3, 1)); [[fallthrough]];
    default:
      if (!c.low || random.chance(60)) c.high = c.low.value_or(-1) + static_cast<float>(random.real(0, 5));
      return c;
  }
}

std::string add_clamp(OnnxModel& model, const OnnxClamp& clamp, const std::string& real) {
  if (clamp.op.empty()) return real;
  if (clamp.op == "Relu") return model.apply("Relu", {real});
  OnnxModel::Names inputs{real, clamp.low ? model.real(*clamp.low) : ""};
  if (clamp.high) inputs.push_back(model.real(*clamp.high));
  return model.apply("Clip", inputs);
}

std::int64_t clamped(std::int64_t q, const OnnxClamp& clamp, const TensorData& y) {
  if (clamp.low) q = std::max(q, quantised(*clamp.low, y));
  if (clamp.high) q = std::min(q, quantised(*clamp.high, y));
  return q;
}

void add_dequantised_product(OnnxModel& model, Random& random, OnnxProduct p, const Shape& bias_shape,
                             const AddProduct& product) {
  const bool are_computed = random.chance(8), has_reader = random.chance(8);  // weights; of the real result
  p.is_real = p.is_real || !has_bytes(p.types) || are_computed || has_reader;
  const bool between_steps = !p.is_real && p.depth < 100 && bias_shape == Shape{p.channels} && random.chance(20);
  align_scales(random, p, between_steps);
  const OnnxClamp clamp = random_clamp(random);
  TensorData y = random_result(random, p);
  OnnxModel::Names operands{model.dequantised_input(p.x),
                            are_computed ? model.dequantised_input(p.weights) : model.dequantised_constant(p.weights)};
  if (between_steps) {
    make_powers_of_two(y);
    operands.push_back(bias_between_steps(model, random, p, y, bias_shape, clamp));
  } else if (random.chance(75)) {
    std::size_t count = 1;
    for (const std::int32_t d : bias_shape) count *= static_cast<std::size_t>(d);
    const auto bias = random_bias(random, p, count);
    const std::int64_t largest = p.largest;
    std::optional<TensorData> real;
    if (bias_shape != Shape{p.channels} || random.chance(40)) real = real_bias(p, y, bias, bias_shape);
    if (real || bias_shape == Shape{p.channels}) {
      add_bias(p, bias);
      for (const std::int64_t b : bias) p.largest = std::max(p.largest, largest + std::abs(b));
      operands.push_back(real ? model.constant(*real) : quantised_bias(model, p, bias, bias_shape));
    }
  }
  const std::string sums = product(operands);
  if (has_reader) model.node("Identity", {sums}, {output_sums(model, p)});
  const std::string real = add_clamp(model, clamp, sums);
  if (p.is_real) return model.quantise(real, y, output_real(model, p, y, clamp));
  if (y.ints.empty()) fill(y, p, SumRounding::exact, clamp);
  model.quantise(real, y, model.output(y));
}

void add_qlinear_product(OnnxModel& model, Random& random, OnnxProduct p, SumRounding rounding, bool takes_bias,
                         const AddQlinear& add) {
  align_scales(random, p, false);
  const bool has_bias = takes_bias && random.chance(75);
  std::vector<std::int64_t> bias;
  if (has_bias) add_bias(p, bias = random_bias(random, p, static_cast<std::size_t>(p.channels)));
  TensorData y = random_result(random, p);
  fill(y, p, rounding, {});
  OnnxModel::Names inputs;
  const bool constant_weights = rounding == SumRounding::exact || random.chance(70);
  for (const TensorData* t : {&p.x, &p.weights}) {
    inputs.push_back(t == &p.x || !constant_weights ? model.input(*t) : model.constant(*t));
    for (const std::string& name : model.parameters(*t)) inputs.push_back(name);
  }
  for (const std::string& name : model.parameters(y)) inputs.push_back(name);
  if (has_bias) inputs.push_back(model.constant({TensorType::INT32, {p.channels}, {}, bias, {}}));
  add(inputs, model.output(y));
}

}  // namespace byoc::test
