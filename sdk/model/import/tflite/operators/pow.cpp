#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Negative exponents of integers are an error upstream; here their results lose the fraction.
Result<void> import_pow(OperatorImport& op) {
  if (!op.optional_options<schema::PowOptions>() || !import_binary(op, "", "Pow", {DType::f32, DType::i32}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
