#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

// Rows along the last dimension of x are divided by their Euclidean length.
Result<void> import_l2_normalization(OperatorImport& op) {
  auto options = op.optional_options<schema::L2NormOptions>();
  if (!options) return failure;
  if (*options != nullptr && (*options)->fused_activation_function() != schema::ActivationFunctionType::NONE)
    return op.refuse("unsupported fused activation",
                     schema::EnumNameActivationFunctionType((*options)->fused_activation_function()), "NONE");
  const ir::ValueId x = op.input(0), y = op.output();
  if (!expect_unary(op) || !op.expect_dtype(x, {DType::f32, DType::i8})) return failure;
  if (op.rank(x) == 0) return op.refuse("unsupported shape of " + op.describe(x), "a scalar", "1 dimension or more");
  if (op.type(y).dtype == DType::i8) {
    if (!op.expect_quantisation(y, 1.0f / 128, 0)) return failure;
    // The kernel's sum of squares has 32 bits.
    if (op.dims(x).back() > 1 << 15)
      return op.refuse("a row of a quantised L2_NORMALIZATION is too long", std::to_string(op.dims(x).back()),
                       "at most 32768");
  }
  op.byoc_node("L2Normalization", {x});
  return {};
}

}  // namespace byoc::tflite
