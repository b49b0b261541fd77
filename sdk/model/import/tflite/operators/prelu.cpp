#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 1: the slopes, which broadcast to input 0; those of int16 are int8, or int16 too.
Result<void> import_prelu(OperatorImport& op) {
  const ir::ValueId x = op.input(0), slopes = op.input(1), y = op.output();
  if (!op.expect_dims(y, op.dims(x))) return failure;
  if (op.type(x).dtype != DType::i16 || op.type(slopes).dtype != DType::i8) {
    auto node = import_binary(op, "", "PRelu", {DType::f32, DType::i8, DType::i16});
    if (node && op.shifted()) (*node)->attributes["scale_product"] = std::string("f32");
    return node ? Result<void>() : failure;
  }
  for (const ir::ValueId v : {x, slopes})
    if (!op.expect_activation(v)) return failure;
  if (!op.expect_activations(x, y)) return failure;
  auto dims = broadcast(op, op.dims(x), op.dims(slopes));
  if (!dims || !op.expect_dims(y, *dims)) return failure;
  op.node("PRelu", {x, slopes});
  return {};
}

}  // namespace byoc::tflite
