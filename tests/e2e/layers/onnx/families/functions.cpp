// Functions of one element, and Softmax, between DequantizeLinear and QuantizeLinear and as QLinear operators. Those of
// 8 bits are tables.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/floats.hpp"
#include "tests/e2e/layers/onnx/rounding.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Names = OnnxModel::Names;

struct Function {
  const char* op;
  float (*exact)(float x, float alpha);  // as float32 computes it, or
  double (*real)(double x, double alpha);
  bool takes_alpha = false;
};

double celu(double x, double alpha) { return std::max(x, 0.0) + std::min(0.0, alpha * std::expm1(x / alpha)); }
double softplus(double x) { return std::log1p(std::exp(-std::abs(x))) + std::max(x, 0.0); }

constexpr Function kFunctions[] = {
    {"Abs", [](float x, float) { return std::abs(x); }, nullptr},
    {"Ceil", [](float x, float) { return std::ceil(x); }, nullptr},
    {"Floor", [](float x, float) { return std::floor(x); }, nullptr},
    {"LeakyRelu", [](float x, float alpha) { return x < 0 ? alpha * x : x; }, nullptr, true},
    {"Neg", [](float x, float) { return -x; }, nullptr},
    {"Relu", [](float x, float) { return x > 0 ? x : 0; }, nullptr},
    {"Round", [](float x, float) { return std::nearbyint(x); }, nullptr},
    {"ThresholdedRelu", [](float x, float alpha) { return x > alpha ? x : 0; }, nullptr, true},
    {"Celu", nullptr, celu, true},
    {"Cos", nullptr, [](double x, double) { return std::cos(x); }},
    {"Elu", nullptr, [](double x, double alpha) { return x < 0 ? alpha * std::expm1(x) : x; }, true},
    {"Erf", nullptr, [](double x, double) { return std::erf(x); }},
    {"Exp", nullptr, [](double x, double) { return std::exp(x); }},
    {"HardSigmoid", nullptr, [](double x, double alpha) { return std::clamp(alpha * x + 0.5, 0.0, 1.0); }, true},
    {"HardSwish", nullptr, [](double x, double) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
    {"Mish", nullptr, [](double x, double) { return x * std::tanh(softplus(x)); }},
    {"Selu", nullptr,
     [](double x, double) {
       return 1.05070102214813232421875 * (x > 0 ? x : 1.67326319217681884765625 * std::expm1(x));
     }},
    {"Sigmoid", nullptr, [](double x, double) { return sigmoid(x); }},
    {"Sin", nullptr, [](double x, double) { return std::sin(x); }},
    {"Softplus", nullptr, [](double x, double) { return softplus(x); }},
    {"Softsign", nullptr, [](double x, double) { return x / (1 + std::abs(x)); }},
    {"Tanh", nullptr, [](double x, double) { return std::tanh(x); }},
};
constexpr TensorType kFunctionTypes[] = {INT8, UINT8, INT16, UINT16};

// Results of this size spread over the range; sometimes the quantisation is of another size, or the input's.
TensorData random_function_result(Random& random, const TensorData& x, TensorType type, Shape shape, double largest) {
  TensorData y{type, std::move(shape), x.q, {}, {}};
  if (type == x.type && random.chance(10)) return y;
  const double usual = std::clamp(largest, 1e-3, 1e4) / static_cast<double>(highest(type) - lowest(type));
  y.q = onnx_quantisation(random, type, usual / 2, usual * 3);
  return y;
}

void add_function(OnnxModel& model, Random& random, const Function& f, TensorType type) {
  const bool is_qlinear = (f.op == std::string_view("Sigmoid") || f.op == std::string_view("LeakyRelu")) &&
                          highest(type) <= 255 && random.chance(50);
  const double size = 20.0 / static_cast<double>(highest(type) - lowest(type));
  const TensorData x =
      random_data(random, type, random_shape(random, 1, 3, 7), onnx_quantisation(random, type, size / 20, size * 3));
  const float alpha = static_cast<float>(random.real(0.1, 1));
  std::vector<float> exact;
  std::vector<double> real;
  double largest = 0;
  for (std::size_t i = 0; i < x.ints.size(); ++i) {
    const float v = dequantised(x, i);
    if (f.exact)
      exact.push_back(f.exact(v, alpha));
    else
      real.push_back(f.real(static_cast<double>(v), static_cast<double>(alpha)));
    largest = std::max(largest, std::abs(f.exact ? static_cast<double>(exact.back()) : real.back()));
  }
  // A result of another type keeps the function real.
  const TensorType y_type = random.chance(8) ? (type == INT8 ? UINT8 : INT8) : type;
  TensorData y = random_function_result(random, x, is_qlinear ? type : y_type, x.shape, largest);
  model.add_text(std::string(is_qlinear ? "QLinear" : "") + f.op + " " + schema::EnumNameTensorType(type) + " -> " +
                 schema::EnumNameTensorType(y.type) + " " + text(x.shape));
  const auto output = [&] {
    if (f.exact) {
      for (const float v : exact) y.ints.push_back(quantised(v, y));
      return model.output(y);
    }
    std::vector<double> expected;
    for (const double v : real) expected.push_back(steps(v, y));
    return model.output_near(y, std::move(expected), slack(y.type), y.type == type && highest(type) <= 255);
  };
  const auto set_alpha = [&](onnx::NodeProto& node) {
    if (f.takes_alpha) set(node, "alpha", alpha);
  };
  if (is_qlinear) {
    Names inputs{model.input(x)};
    for (const TensorData* t : {&x, &std::as_const(y)})
      for (const std::string& name : model.parameters(*t)) inputs.push_back(name);
    return set_alpha(model.node(std::string("QLinear") + f.op, inputs, {output()}, kContributed));
  }
  const std::string in = model.dequantised_input(x), out = model.between();
  set_alpha(model.node(f.op, {in}, {out}));
  model.quantise(out, y, output());
}

void add_softmax(OnnxModel& model, Random& random, TensorType type, bool is_qlinear) {
  const double size = 20.0 / static_cast<double>(highest(type) - lowest(type));
  const TensorData x =
      random_data(random, type, random_shape(random, 1, 4, 6), onnx_quantisation(random, type, size / 20, size * 3));
  const auto axis = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(x.shape.size()) - 1));
  const bool flattens = is_qlinear && random.chance(40);  // before opset 13: all dims from the axis on are one
  std::vector<double> sums(x.elements(), 0), largest(x.elements(), -std::numeric_limits<double>::infinity());
  const auto row = [&](Index at) {
    for (std::size_t d = axis; d < (flattens ? at.size() : axis + 1); ++d) at[d] = 0;
    return place(x.shape, at);
  };
  const auto value = [&](const Index& at) { return static_cast<double>(dequantised(x, place(x.shape, at))); };
  for_each_index(x.shape, [&](const Index& at) { largest[row(at)] = std::max(largest[row(at)], value(at)); });
  for_each_index(x.shape, [&](const Index& at) { sums[row(at)] += std::exp(value(at) - largest[row(at)]); });
  TensorData y = random_function_result(random, x, type, x.shape, 1);
  // The QLinear form has a whole number of steps to 1.
  const double one = is_qlinear ? static_cast<double>(std::floor(1 / y.scale())) * static_cast<double>(y.scale()) : 1;
  std::vector<double> expected;
  for_each_index(x.shape, [&](const Index& at) {
    expected.push_back(steps(std::exp(value(at) - largest[row(at)]) / sums[row(at)] * one, y));
  });
  model.add_text(std::string(is_qlinear ? "QLinear" : "") + "Softmax " + schema::EnumNameTensorType(type) + " " +
                 text(x.shape) + " axis " + std::to_string(axis) + (flattens ? " flattened" : ""));
  const auto set_axis = [&](onnx::NodeProto& node) { set(node, "axis", static_cast<std::int64_t>(axis)); };
  if (is_qlinear) {
    Names inputs{model.input(x)};
    for (const TensorData* t : {&x, &std::as_const(y)})
      for (const std::string& name : model.parameters(*t)) inputs.push_back(name);
    const std::string out = model.output_near(y, std::move(expected), slack(type), false);
    auto& node = model.node("QLinearSoftmax", inputs, {out}, kContributed);
    set(node, "opset", std::int64_t{flattens ? 12 : 13});
    return set_axis(node);
  }
  const std::string in = model.dequantised_input(x), real = model.between();
  set_axis(model.node("Softmax", {in}, {real}));
  model.quantise(real, y, model.output_near(y, std::move(expected), slack(type), false));
}

}  // namespace

void make_onnx_functions(OnnxModel& model, Random& random, std::size_t index) {
  constexpr std::size_t kOperators = std::size(kFunctions) + 2;
  const std::size_t op = index % kOperators;
  const TensorType type = kFunctionTypes[index / kOperators % std::size(kFunctionTypes)];
  if (op < std::size(kFunctions)) return add_function(model, random, kFunctions[op], type);
  const bool is_qlinear = op == kOperators - 1;
  add_softmax(model, random, is_qlinear && highest(type) > 255 ? UINT8 : type, is_qlinear);
}

}  // namespace byoc::test
