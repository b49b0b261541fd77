#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_concatenation(OperatorImport& op) {
  auto options = op.options<schema::ConcatenationOptions>();
  if (!options) return failure;
  // Upstream's kernels know no other, whatever the option could say.
  if ((*options)->fused_activation_function() != schema::ActivationFunctionType::NONE)
    return op.refuse("unsupported fused activation",
                     schema::EnumNameActivationFunctionType((*options)->fused_activation_function()), "NONE");
  const ir::ValueId y = op.output();
  auto axis = op.axis((*options)->axis(), op.rank(y));
  if (!axis) return failure;
  std::vector<ir::ValueId> inputs;
  const bool resized = op.resizes() && op.input(0) != ir::kNoValue && op.rank(op.input(0)) == op.rank(y);
  const std::vector<ir::Dim> beside = op.dims(resized ? op.input(0) : y);
  std::vector<ir::Dim> expected = beside;
  expected[*axis] = 0;
  for (std::size_t i = 0; i < op.input_count(); ++i) {
    const ir::ValueId x = op.input(i);
    if (x == ir::kNoValue) return op.refuse("input " + std::to_string(i) + " is not given");
    if (!op.expect_moved(x, y) || !op.expect_rank(x, op.rank(y))) return failure;
    if (op.type(y).dtype == DType::i8 && !op.expect_equal_quantisation(x, y)) return failure;
    std::vector<ir::Dim> like_output = beside;
    like_output[*axis] = op.dims(x)[*axis];
    if (!op.expect_dims(x, like_output)) return failure;
    expected[*axis] += like_output[*axis];
    inputs.push_back(x);
  }
  if (!op.expect_dims(y, expected)) return failure;
  op.node("Concat", std::move(inputs)).attributes["axis"] = static_cast<std::int64_t>(*axis);
  return {};
}

}  // namespace byoc::tflite
