#include "sdk/model/import/tflite/operators/operators.hpp"

#include <algorithm>

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

const OperatorEntry* find_operator(schema::BuiltinOperator code) {
  const auto table = supported_operators();
  const auto it = std::find_if(table.begin(), table.end(), [&](const OperatorEntry& e) { return e.code == code; });
  return it == table.end() ? nullptr : &*it;
}

std::string name_of_operator(schema::BuiltinOperator code, const schema::OperatorCode& operator_code) {
  if (code == schema::BuiltinOperator::CUSTOM)
    return "CUSTOM " + (operator_code.custom_code() == nullptr ? "''" : "'" + operator_code.custom_code()->str() + "'");
  const char* name = schema::EnumNameBuiltinOperator(code);
  return *name != '\0' ? name : "operator number " + std::to_string(static_cast<int>(code));
}

std::string expected_count(std::size_t least, std::size_t most) {
  if (least == most) return std::to_string(least);
  return std::to_string(least) + (most == SIZE_MAX ? " or more" : " to " + std::to_string(most));
}

}  // namespace byoc::tflite
