#include <cmath>

#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_exp(OperatorImport& op) {
  if (!op.optional_options<schema::ExpOptions>()) return failure;
  return import_real_function(op, "Exp", [](float real) { return std::exp(real); });
}

}  // namespace byoc::tflite
