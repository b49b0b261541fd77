#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/padding.hpp"

namespace byoc::tflite {

// Input 1: int32 or int64 [rank, 2], before and after. Pads with 0, or the zero point.
Result<void> import_pad(OperatorImport& op) {
  auto options = op.optional_options<schema::PadOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y)) return failure;
  auto paddings = read_paddings(op, {DType::i32, DType::i64});
  if (!paddings || !op.expect_dims(y, paddings->dims)) return failure;
  pad(op, x, y, *paddings, "constant", ir::kNoValue);
  return {};
}

}  // namespace byoc::tflite
