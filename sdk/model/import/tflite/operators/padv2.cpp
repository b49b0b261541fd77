#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/padding.hpp"

namespace byoc::tflite {

// Input 1: int32 [rank, 2], before and after. Input 2: what pads, one element like x's.
Result<void> import_padv2(OperatorImport& op) {
  auto options = op.optional_options<schema::PadV2Options>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), value = op.input(2), y = op.output();
  if (!op.expect_moved(x, y) || !op.expect_moved(value, y) || !op.expect_equal_quantisation(value, y)) return failure;
  if (op.type(value).elements() != 1)
    return op.refuse("the padding value", std::to_string(op.type(value).elements()) + " elements", "1");
  auto paddings = read_paddings(op, {DType::i32});
  if (!paddings || !op.expect_dims(y, paddings->dims)) return failure;
  pad(op, x, y, *paddings, "constant", value);
  return {};
}

}  // namespace byoc::tflite
