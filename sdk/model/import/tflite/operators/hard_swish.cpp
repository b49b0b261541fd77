#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_hard_swish(OperatorImport& op) {
  auto options = op.optional_options<schema::HardSwishOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!expect_unary(op) || !op.expect_dtype(x, {DType::f32, DType::i8})) return failure;
  if (op.type(x).dtype == DType::i8) {
    // The kernel's last step can only shift right.
    const float from = (1.0f / 128.0f) * op.type(x).quantisation->scales[0], to = op.type(y).quantisation->scales[0];
    if (!(from / to < 1.0f))
      return op.refuse("the output's scale is too small for the input's", std::to_string(128.0f * from / to) + " to 1",
                       "less than 128 to 1");
  }
  op.node("HardSwish", {x});
  return {};
}

}  // namespace byoc::tflite
