#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

enum : std::size_t { kBoxes, kScores, kMost, kOverlap, kLeast, kSigma };

// boxes [count, 4] of two corners each, scores [count], scalars -> indices [most], with `soft` their scores, and how
// many there are; zeros behind them
Result<void> import_suppression(OperatorImport& op, bool soft) {
  for (std::size_t i = 0; i < op.input_count(); ++i)
    if (!op.expect_dtype(op.input(i), {i == kMost ? DType::i32 : DType::f32}) ||
        !op.expect_rank(op.input(i), i == kBoxes    ? 2
                                     : i == kScores ? 1
                                                    : 0))
      return failure;
  const std::size_t outputs = soft ? 3 : 2;
  if (op.output_count() != outputs)
    return op.refuse("wrong number of outputs", std::to_string(op.output_count()), std::to_string(outputs));
  const ir::ValueId chosen = op.output(0), count = op.output(outputs - 1);
  const std::vector<ir::Dim> boxes = {op.dims(op.input(kScores))[0], 4};
  const auto most = op.integers(op.input(kMost), "the number of boxes");
  if (!most || !op.expect_dims(op.input(kBoxes), boxes)) return failure;
  if ((*most)[0] < 0) return op.refuse("the number of boxes is negative", std::to_string((*most)[0]), "0 or more");
  if (!op.expect_dtype(chosen, {DType::i32}) || !op.give_dims(chosen, {(*most)[0]}) ||
      !op.expect_dtype(count, {DType::i32}) || !op.expect_dims(count, {}))
    return failure;
  std::vector<ir::ValueId> inputs = {op.input(kBoxes), op.input(kScores), op.input(kOverlap), op.input(kLeast)};
  ir::ValueId values = ir::kNoValue;
  if (soft) {
    values = op.output(1);
    inputs.push_back(op.input(kSigma));
    if (!op.expect_dtype(values, {DType::f32}) || !op.give_dims(values, {(*most)[0]})) return failure;
  }
  op.byoc_node("SoftNonMaxSuppression", inputs, {chosen, values, count}).attributes["max_output_size"] = (*most)[0];
  return {};
}

}  // namespace

Result<void> import_non_max_suppression_v4(OperatorImport& op) {
  if (!op.optional_options<schema::NonMaxSuppressionV4Options>()) return failure;
  return import_suppression(op, false);
}

Result<void> import_non_max_suppression_v5(OperatorImport& op) {
  if (!op.optional_options<schema::NonMaxSuppressionV5Options>()) return failure;
  return import_suppression(op, true);
}

}  // namespace byoc::tflite
