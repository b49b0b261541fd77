#include <cmath>

#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_log(OperatorImport& op) {
  return import_real_function(op, "Log", [](float real) { return std::log(real); });
}

}  // namespace byoc::tflite
