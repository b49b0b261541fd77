#include "backends/c/lower/select/select.hpp"

namespace byoc::c {

using codegen::kNoValue;
using codegen::Node;

std::string wanted_output(StepBuilder& step, const Node& node, std::size_t output) {
  return output < node.outputs.size() && node.outputs[output] != kNoValue ? step.output(output) : "NULL";
}

std::string given_operand(StepBuilder& step, const Node& node, std::size_t input) {
  return input < node.inputs.size() && node.inputs[input] != kNoValue ? step.input(input) : "NULL";
}

void take_count(StepBuilder& step, const Node& node, std::size_t count_output, const std::string& expression,
                std::int64_t room) {
  const std::string count = wanted_output(step, node, count_output);
  step.line("const int32_t count = " + expression + ";");
  const bool exact = count == "NULL";
  step.fail_if(std::string(exact ? "count != " : "count > ") + std::to_string(room),
               exact ? reason::kCount : reason::kRoom);
  if (count != "NULL") step.line("*" + count + " = count;");
}

}  // namespace byoc::c
