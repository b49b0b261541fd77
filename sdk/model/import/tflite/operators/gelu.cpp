#include <cmath>
#include <numbers>

#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/lookup.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

namespace {

float by_erfc(float x) { return 0.5F * x * std::erfc(x * -std::numbers::sqrt2_v<float> / 2); }
float by_tanh(float x) {
  constexpr float kFactor = std::numbers::sqrt2_v<float> * std::numbers::inv_sqrtpi_v<float>;
  return 0.5F * x * (1 + std::tanh(kFactor * (x + 0.044715F * x * x * x)));
}

}  // namespace

Result<void> import_gelu(OperatorImport& op) {
  auto options = op.optional_options<schema::GeluOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  const bool approximate = *options != nullptr && (*options)->approximate();
  if (op.type(x).dtype == DType::i8) {
    if (!op.expect_activations(x, y) || !op.expect_dims(y, op.dims(x))) return failure;
    look_up_real(op, x, y, approximate ? by_tanh : by_erfc);
    return {};
  }
  if (!expect_element(op, x, {DType::f32}) || !expect_element(op, y, {DType::f32}) || !op.expect_dims(y, op.dims(x)))
    return failure;
  ir::Node& node = op.node("Gelu", {x});
  node.version = 20;  // the first that has it
  node.attributes["approximate"] = std::string(approximate ? "tanh" : "none");
  return {};
}

}  // namespace byoc::tflite
