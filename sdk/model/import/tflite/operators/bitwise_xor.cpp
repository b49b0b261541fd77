#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Accepts plain integers only.
Result<void> import_bitwise_xor(OperatorImport& op) {
  if (!op.optional_options<schema::BitwiseXorOptions>() ||
      !import_binary(op, "", "BitwiseXor", {DType::i32, DType::u16, DType::u32}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
