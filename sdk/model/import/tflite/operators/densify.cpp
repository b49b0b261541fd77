#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// A sparse constant as a dense one, which it was from the moment it was read.
Result<void> import_densify(OperatorImport& op) {
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.value(x).constant) return op.refuse("a tensor that is no constant", op.describe(x), "a sparse constant");
  if (!op.expect_dtype(y, {op.type(x).dtype}) || !op.expect_dims(y, op.dims(x))) return failure;
  op.node("Identity", {x});
  return {};
}

}  // namespace byoc::tflite
