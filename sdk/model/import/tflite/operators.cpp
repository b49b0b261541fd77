#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

std::span<const OperatorEntry> supported_operators() {
#define TFLITE_OPERATOR(name, newest, least_inputs, most_inputs, row, ...) \
  {.code = schema::BuiltinOperator::name,                                  \
   .newest_version = newest,                                               \
   .min_inputs = least_inputs,                                             \
   .max_inputs = most_inputs,                                              \
   .function = import_##row __VA_OPT__(, ) __VA_ARGS__},
  static constexpr OperatorEntry kTable[] = {
#include "sdk/model/import/tflite/operators.inc"
  };
#undef TFLITE_OPERATOR
  return kTable;
}

}  // namespace byoc::tflite
