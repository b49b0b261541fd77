#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

std::span<const OperatorEntry> supported_operators() {
#define TFLITE_OPERATOR(name, newest_version, least_inputs, most_inputs, function, ...) \
  {schema::BuiltinOperator::name, newest_version, least_inputs, most_inputs,            \
   import_##function __VA_OPT__(, ) __VA_ARGS__},
  static constexpr OperatorEntry kTable[] = {
#include "sdk/import/tflite/operators.inc"
  };
#undef TFLITE_OPERATOR
  return kTable;
}

}  // namespace byoc::tflite
