#include "backends/c/lower/step/typed_step.hpp"

#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {

TypedStep::TypedStep(Emitter& emitter, const codegen::Node& node)
    : name(stem(emitter, node)), emitter_(emitter), node_(node) {
  step.symbol = emitter.host().claim(name);
  step.nodes = {node_id(emitter, node)};
}

std::string TypedStep::in(std::size_t index) {
  if (emitter_.input(node_, index) == nullptr) return "NULL";
  std::string& expression = inputs_[index];
  if (expression.empty()) expression = operand(emitter_, step, node_.inputs[index], name + "_" + std::to_string(index));
  return expression;
}

std::string TypedStep::out(std::size_t index) {
  if (index >= node_.outputs.size() || node_.outputs[index] == codegen::kNoValue) return "NULL";
  std::string& expression = outputs_[index];
  if (expression.empty()) {
    expression = "out" + std::to_string(step.outputs.size());
    step.outputs.push_back({node_.outputs[index]});
  }
  return expression;
}

std::string TypedStep::workspace(std::uint64_t bytes) {
  step.workspaces.push_back({.bytes = bytes, .align = 8, .pools = {}});
  return "ws" + std::to_string(step.workspaces.size() - 1);
}

std::string TypedStep::parameters(const ParameterText& p, std::string_view type, std::string_view parameter_name) {
  const std::string symbol = step.symbol + "_" + std::string(parameter_name);
  text.parameters.push_back(p.definition(type, symbol));
  return "&" + symbol;
}

void TypedStep::call(const Kernel& kernel, std::string_view header, std::string_view macro,
                     const std::vector<std::string>& types, const std::vector<std::string>& arguments) {
  step.kernel = emitter_.kernel(kernel);
  text.includes.insert({std::string(header), "<math.h>"});
  std::string declared = std::string(macro) + "(" + step.kernel;
  for (const std::string& t : types) declared += ", " + t;
  text.declarations.insert(declared + ");");
  std::string given;
  for (const std::string& a : arguments) given += (given.empty() ? "" : ", ") + a;
  text.body += "  " + step.kernel + "(" + given + ");\n";
}

bool TypedStep::emit() {
  emitter_.step(node_, std::move(step), text);
  return true;
}

std::string typed_symbol(std::string_view what, std::initializer_list<DType> types) {
  std::string out = "byoc_" + std::string(what);
  for (const DType t : types) out += "_" + std::string(to_string(t));
  return out;
}

}  // namespace byoc::c
