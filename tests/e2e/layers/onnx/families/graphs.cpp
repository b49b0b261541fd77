// Small graphs: values with several readers, between DequantizeLinear and QuantizeLinear of their own or shared ones,
// and chains of real operators between them. Every operator here is exact in float32.
#include <algorithm>

#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/products.hpp"

namespace byoc::test {
namespace {

struct Real {
  std::string name;
  Shape shape;
  std::vector<float> values;
};

class Builder {
 public:
  Builder(OnnxModel& model, Random& random, TensorType type) : model_(model), random_(random), type_(type) {}

  void add_input() {
    const Shape shape{2, random_.size(1, 4), random_.size(1, 5)};
    const TensorData x = random_data(random_, type_, shape, onnx_quantisation(random_, type_, 0.02, 0.2));
    values_.push_back({model_.input(x), x, {}});
  }

  // DequantizeLinear, operators, QuantizeLinear.
  void add_stage() {
    Real r = dequantised(any());
    const std::int32_t operators = random_.size(0, 3);
    for (std::int32_t i = 0; i < operators; ++i) r = apply(r);
    TensorData y{type_, r.shape, onnx_quantisation(random_, type_, 0.02, 0.2), {}, {}};
    if (random_.chance(30)) y.q = values_[any()].data.q;
    for (const float v : r.values) y.ints.push_back(quantised(v, y));
    const bool leaves = random_.chance(30);
    values_.push_back({leaves ? model_.output(y) : model_.between(), y, {}});
    model_.quantise(r.name, y, values_.back().name);
    last_leaves_ = leaves;
  }

  // What nobody reads yet must leave.
  void finish() {
    if (last_leaves_) return;
    const Value& last = values_.back();
    const Real r = dequantised(values_.size() - 1);
    model_.quantise(r.name, last.data, model_.output(last.data));
  }

 private:
  struct Value {
    std::string name;
    TensorData data;
    std::string real;  // of a DequantizeLinear that is there
  };

  std::size_t any() {
    return static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(values_.size()) - 1));
  }

  Real dequantised(std::size_t i) {
    Value& v = values_[i];
    if (v.real.empty() || random_.chance(50)) v.real = model_.dequantised(v.name, v.data);
    Real r{v.real, v.data.shape, {}};
    for (std::size_t e = 0; e < v.data.ints.size(); ++e) r.values.push_back(test::dequantised(v.data, e));
    return r;
  }

  Real apply(const Real& x) {
    switch (random_.between(0, 6)) {
      case 0: return clamped(x);
      case 1: return transposed(x);
      case 2: return {model_.apply("Reshape", {x.name, model_.integers({-1})}), {count(x)}, x.values};
      case 3: return sliced(x);
      case 4: return joined(x);
      default: return paired(x);
    }
  }

  static std::int32_t count(const Real& x) { return static_cast<std::int32_t>(x.values.size()); }

  Real clamped(const Real& x) {
    OnnxClamp clamp = random_clamp(random_);
    if (clamp.op.empty()) clamp = {"Relu", 0.0f, {}};
    Real y{add_clamp(model_, clamp, x.name), x.shape, x.values};
    for (float& v : y.values) {
      if (clamp.low) v = std::max(v, *clamp.low);
      if (clamp.high) v = std::min(v, *clamp.high);
    }
    return y;
  }

  // All dims reversed, which is what Transpose does by itself.
  Real transposed(const Real& x) {
    Real y{model_.apply("Transpose", {x.name}), {x.shape.rbegin(), x.shape.rend()}, {}};
    for_each_index(y.shape,
                   [&](const Index& at) { y.values.push_back(x.values[place(x.shape, {at.rbegin(), at.rend()})]); });
    return y;
  }

  // All but the first along the first dim.
  Real sliced(const Real& x) {
    if (x.shape[0] < 2) return clamped(x);
    const std::string one = model_.integers({1}), end = model_.integers({1000}), axis = model_.integers({0});
    Real y{model_.apply("Slice", {x.name, one, end, axis}), x.shape, {}};
    --y.shape[0];
    y.values.assign(x.values.begin() + count(x) / x.shape[0], x.values.end());
    return y;
  }

  // Another of the same shape, or x itself.
  Real partner(const Real& x) {
    for (std::size_t tries = 0; tries < values_.size(); ++tries)
      if (const std::size_t i = any(); values_[i].data.shape == x.shape) return dequantised(i);
    return x;
  }

  Real joined(const Real& x) {
    const Real other = partner(x);
    if (count(x) > 200) return clamped(x);
    Real y{model_.between(), x.shape, x.values};
    set(model_.node("Concat", {x.name, other.name}, {y.name}), "axis", std::int64_t{0});
    y.shape[0] *= 2;
    y.values.insert(y.values.end(), other.values.begin(), other.values.end());
    return y;
  }

  Real paired(const Real& x) {
    const Real other = partner(x);
    const char* op = random_.pick({"Add", "Sub", "Mul"});
    Real y{model_.apply(op, {x.name, other.name}), x.shape, {}};
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      const float a = x.values[i], b = other.values[i];
      y.values.push_back(*op == 'A' ? a + b : *op == 'S' ? a - b : a * b);
    }
    return y;
  }

  OnnxModel& model_;
  Random& random_;
  TensorType type_;
  std::vector<Value> values_;
  bool last_leaves_ = false;
};

}  // namespace

void make_onnx_graphs(OnnxModel& model, Random& random, std::size_t index) {
  static constexpr TensorType kTypes[] = {TensorType::INT8, TensorType::UINT8, TensorType::INT16, TensorType::UINT16};
  Builder builder(model, random, kTypes[index % std::size(kTypes)]);
  const std::int32_t inputs = random.size(1, 2), stages = random.size(2, 6);
  for (std::int32_t i = 0; i < inputs; ++i) builder.add_input();
  for (std::int32_t i = 0; i < stages; ++i) builder.add_stage();
  builder.finish();
  model.add_text(std::string(schema::EnumNameTensorType(kTypes[index % std::size(kTypes)])) + ", " +
                 std::to_string(stages) + " stages");
}

}  // namespace byoc::test
