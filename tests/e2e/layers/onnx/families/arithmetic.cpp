// Add, Sub, Mul and Div between DequantizeLinear and QuantizeLinear, QLinearAdd and QLinearMul: in float32, element by
// element.
#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/products.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

struct ArithmeticVariant {
  const char* op;
  TensorType type;
  bool is_qlinear = false;
};
constexpr ArithmeticVariant kArithmeticVariants[] = {
    {"Add", INT8},   {"Sub", INT8},       {"Mul", INT8},       {"Div", INT8},        {"Add", UINT8},
    {"Sub", UINT8},  {"Mul", UINT8},      {"Div", UINT8},      {"Add", INT16},       {"Sub", INT16},
    {"Mul", INT16},  {"Div", INT16},      {"Add", UINT16},     {"Sub", UINT16},      {"Mul", UINT16},
    {"Div", UINT16}, {"Add", INT8, true}, {"Mul", INT8, true}, {"Add", UINT8, true}, {"Mul", UINT8, true},
};

float result(std::string_view op, float a, float b) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  return op == "Mul" ? a * b : a / b;
}

// Of a size at which results spread over the range, mostly.
float random_scale(Random& random, const ArithmeticVariant& v, const TensorData& a, const TensorData& b) {
  if (random.chance(10)) return any_scale(random, 1e-5, 1e3);
  const double range = static_cast<double>(highest(v.type) - lowest(v.type));
  const double usual = v.op == std::string_view("Mul")   ? static_cast<double>(a.scale() * b.scale()) * range / 4
                       : v.op == std::string_view("Div") ? static_cast<double>(a.scale() / b.scale()) / 16
                                                         : static_cast<double>(std::max(a.scale(), b.scale()));
  return any_scale(random, usual / 3, usual * 3);
}

std::string add_node(OnnxModel& model, const ArithmeticVariant& v, const std::string& a, const std::string& b) {
  return model.apply(v.op, {a, b});
}

}  // namespace

void make_onnx_arithmetic(OnnxModel& model, Random& random, std::size_t index) {
  const ArithmeticVariant& v = kArithmeticVariants[index % std::size(kArithmeticVariants)];
  BroadcastShapes s = random_broadcast(random, 4);
  if (random.chance(15)) s = {{random.size(1, 300)}, {1}, {}};
  if (s.y.empty() && !s.a.empty()) s.y = s.a;
  // One operand or the result of another type now and then.
  const TensorType other = v.type == INT8 ? UINT8 : INT8;
  const TensorType b_type = !v.is_qlinear && random.chance(6) ? other : v.type;
  const TensorType y_type = !v.is_qlinear && random.chance(6) ? other : v.type;
  const TensorData a = random_data(random, v.type, s.a, onnx_quantisation(random, v.type));
  TensorData b = random_data(random, b_type, s.b, onnx_quantisation(random, b_type));
  if (random.chance(10) && b_type == v.type) b.q = a.q;
  TensorData y{y_type, s.y, {{random_scale(random, v, a, b)}, {any_zero_point(random, y_type)}, -1}, {}, {}};
  if (random.chance(10) && y_type == v.type) y.q = a.q;
  const OnnxClamp clamp = v.is_qlinear ? OnnxClamp{} : random_clamp(random);
  // Of 0 / 0 the clamp is of the NaN, or of the lowest integer, which the NaN becomes, where it was lifted.
  if (v.op == std::string_view("Div") && !clamp.op.empty())
    for (std::int64_t& q : b.ints)
      if (q == b.zero_point()) q += q < highest(b_type) ? 1 : -1;
  for_each_pair(s, [&](std::size_t i, std::size_t j) {
    y.ints.push_back(clamped(quantised(result(v.op, dequantised(a, i), dequantised(b, j)), y), clamp, y));
  });
  model.add_text(std::string(v.op) + " " + schema::EnumNameTensorType(v.type) + (v.is_qlinear ? " QLinear " : " ") +
                 text(s.a) + " " + text(s.b) + " " + clamp.op);
  const auto name_of = [&](const TensorData& t) { return random.chance(20) ? model.constant(t) : model.input(t); };
  if (v.is_qlinear) {
    OnnxModel::Names inputs;
    for (const TensorData* t : {&a, &std::as_const(b)}) {
      inputs.push_back(t == &a ? model.input(a) : name_of(b));
      for (const std::string& name : model.parameters(*t)) inputs.push_back(name);
    }
    for (const std::string& name : model.parameters(y)) inputs.push_back(name);
    model.node(std::string("QLinear") + v.op, inputs, {model.output(y)}, kContributed);
    return;
  }
  const std::string ra = model.dequantised_input(a), rb = model.dequantised(name_of(b), b);
  model.quantise(add_clamp(model, clamp, add_node(model, v, ra, rb)), y, model.output(y));
}

}  // namespace byoc::test
