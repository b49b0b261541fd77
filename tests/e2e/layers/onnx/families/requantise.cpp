// QuantizeLinear, DequantizeLinear, chains of both, and DynamicQuantizeLinear.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/rounding.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Names = OnnxModel::Names;

constexpr TensorType kRequantiseTypes[] = {INT8, UINT8, INT16, UINT16};

// One scale, or one for each index of an axis.
TfliteQuantisation any_quantisation(Random& random, TensorType type, const Shape& shape, bool per_axis) {
  TfliteQuantisation q = onnx_quantisation(random, type, 1e-3, 2);
  if (!per_axis) return q;
  q.axis = random.size(0, static_cast<std::int32_t>(shape.size()) - 1);
  for (std::int32_t i = 1; i < shape[static_cast<std::size_t>(q.axis)]; ++i) {
    q.scales.push_back(any_scale(random, 1e-3, 2));
    q.zero_points.push_back(any_zero_point(random, type));
  }
  return q;
}

Shape any_shape(Random& random) {
  return random.chance(40) ? Shape{random.size(1, 300)} : random_shape(random, 1, 4, 6);
}

std::string per(const TensorData& t) { return t.q.axis < 0 ? " per tensor" : " along " + std::to_string(t.q.axis); }

// Halves of a step often; what is out of any range, and no number.
TensorData random_reals(Random& random, const TensorData& y) {
  TensorData x = random_data(random, FLOAT32, y.shape);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float scale = y.q.scales[0];
  for (float& f : x.floats) {
    if (random.chance(50)) f = static_cast<float>(random.between(-700, 700)) * 0.5f * scale;
    if (random.chance(10)) f = static_cast<float>(random.between(-40000, 40000)) * scale;
    if (random.chance(2))
      f = random.pick({kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 3e38f, -3e38f, 1e-40f, -0.0f});
  }
  return x;
}

void add_quantise(OnnxModel& model, Random& random, TensorType type, bool per_axis) {
  TensorData y{type, any_shape(random), {}, {}, {}};
  y.q = any_quantisation(random, type, y.shape, per_axis);
  TensorData x = random_reals(random, y);
  const bool is_integer = random.chance(10);  // i32 is quantised as it is
  if (is_integer) {
    x = random_data(random, INT32, y.shape, {}, -1000, 1000);
    for (const std::int64_t v : x.ints) x.floats.push_back(static_cast<float>(v));
  }
  const bool is_default = type == UINT8 && !per_axis && random.chance(30);  // no zero point: that of uint8 is 0
  if (is_default) y.q.zero_points = {0};
  for (std::size_t i = 0; i < x.floats.size(); ++i) y.ints.push_back(quantised(x.floats[i], y, i));
  x.floats.resize(is_integer ? 0 : x.floats.size());
  model.add_text(std::string("QuantizeLinear ") + schema::EnumNameTensorType(type) + per(y) +
                 (is_integer ? " of i32" : "") + (is_default ? " without zero point" : ""));
  if (is_default)
    model.node("QuantizeLinear", {model.input(x), model.real(y.scale())}, {model.output(y)});
  else
    model.quantise(model.input(x), y, model.output(y));
}

void add_dequantise(OnnxModel& model, Random& random, TensorType type, bool per_axis) {
  if (random.chance(25)) type = INT32;
  const Shape shape = any_shape(random);
  TfliteQuantisation q = any_quantisation(random, type, shape, per_axis);
  if (type == INT32) std::ranges::fill(q.zero_points, 0);
  const TensorData x = random_data(random, type, shape, q);
  TensorData y{FLOAT32, shape, {}, {}, {}};
  for (std::size_t i = 0; i < x.ints.size(); ++i) y.floats.push_back(dequantised(x, i));
  model.add_text(std::string("DequantizeLinear ") + schema::EnumNameTensorType(type) + per(x));
  Names inputs = model.parameters(x);
  inputs.insert(inputs.begin(), model.input(x));
  auto& node = model.node("DequantizeLinear", inputs, {model.output(y)});
  if (x.q.axis >= 0) set(node, "axis", std::int64_t{x.q.axis});
}

// Scales and zero points that are only known when the model runs.
void add_computed_scale(OnnxModel& model, Random& random, TensorType type) {
  const Shape shape = any_shape(random);
  const TensorData q = random_data(random, type, shape, onnx_quantisation(random, type));
  const TensorData scale{FLOAT32, {}, {}, {}, q.q.scales}, zero{type, {}, {}, q.q.zero_points, {}};
  model.add_text(std::string("computed scale ") + schema::EnumNameTensorType(type));
  if (random.chance(50)) {
    TensorData y = q;
    y.ints.clear();
    const TensorData x = random_reals(random, q);
    for (const float f : x.floats) y.ints.push_back(quantised(f, y));
    const Names inputs{model.input(x), model.input(scale), model.input(zero)};
    model.node("QuantizeLinear", inputs, {model.output(y)});
    return;
  }
  TensorData y{FLOAT32, shape, {}, {}, {}};
  for (std::size_t i = 0; i < q.ints.size(); ++i) y.floats.push_back(dequantised(q, i));
  const Names inputs{model.input(q), model.input(scale), model.input(zero)};
  model.node("DequantizeLinear", inputs, {model.output(y)});
}

// From one quantisation to the next, each an output too sometimes.
void add_chain(OnnxModel& model, Random& random, TensorType type) {
  TensorData q = random_data(random, type, any_shape(random), onnx_quantisation(random, type));
  std::string integers = model.input(q);
  model.add_text("chain");
  const std::int32_t links = random.size(1, 3);
  for (std::int32_t link = 0; link < links; ++link) {
    TensorData next{random.pick({INT8, UINT8, INT16, UINT16}), q.shape, {}, {}, {}};
    const double scale = static_cast<double>(q.scale());
    next.q = onnx_quantisation(random, next.type, scale / 8, scale * 8);
    if (random.chance(30)) next.type = q.type, next.q = q.q;
    if (random.chance(20) && next.type == q.type) next.q.scales = q.q.scales;
    for (std::size_t i = 0; i < q.ints.size(); ++i) next.ints.push_back(quantised(dequantised(q, i), next));
    model.add_text(std::string(schema::EnumNameTensorType(q.type)) + " -> " + schema::EnumNameTensorType(next.type));
    const std::string real = model.dequantised(integers, q);
    integers = link + 1 == links || random.chance(30) ? model.output(next) : model.between();
    model.quantise(real, next, integers);
    q = next;
  }
}

void add_dynamic(OnnxModel& model, Random& random) {
  const float size = random.scale(1e-3, 1e3);
  TensorData x = random_data(random, FLOAT32, any_shape(random));
  for (float& f : x.floats) f = f * size + (random.chance(50) ? 0 : 4 * size);
  if (random.chance(20))
    for (float& f : x.floats) f = -std::abs(f);
  float low = 0, high = 0;
  for (const float f : x.floats) low = std::min(low, f), high = std::max(high, f);
  if (low == high) x.floats[0] = high = size;
  const float scale = (high - low) / 255.0f;
  const float zero = std::clamp(std::nearbyint(0.0f - low / scale), 0.0f, 255.0f);
  TensorData y{UINT8, x.shape, {{scale}, {static_cast<std::int64_t>(zero)}, -1}, {}, {}};
  for (const float f : x.floats) y.ints.push_back(quantised(f, y));
  model.add_text("DynamicQuantizeLinear " + text(x.shape));
  const std::string in = model.input(x);
  const std::string q = model.output(y), s = model.output({FLOAT32, {}, {}, {}, {scale}});
  model.node("DynamicQuantizeLinear", {in}, {q, s, model.output({UINT8, {}, {}, y.q.zero_points, {}})});
}

}  // namespace

void make_onnx_requantise(OnnxModel& model, Random& random, std::size_t index) {
  const TensorType type = kRequantiseTypes[index % std::size(kRequantiseTypes)];
  switch (index / std::size(kRequantiseTypes) % 7) {
    case 0: return add_quantise(model, random, type, false);
    case 1: return add_quantise(model, random, type, true);
    case 2: return add_dequantise(model, random, type, false);
    case 3: return add_dequantise(model, random, type, true);
    case 4: return add_computed_scale(model, random, type);
    case 5: return add_chain(model, random, type);
    default: return add_dynamic(model, random);
  }
}

}  // namespace byoc::test
