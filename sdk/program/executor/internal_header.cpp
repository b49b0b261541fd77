#include "sdk/program/executor/internal_header.hpp"

#include <algorithm>

#include "byoc/c_text.hpp"
#include "sdk/program/executor/template.hpp"
#include "sdk/program/plan/control.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc::executor {
namespace {

std::string operand_type(const ir::Graph& graph, const plugin::StepOperand& o) {
  return o.value == ir::kNoValue ? "void" : std::string(c_type(graph.values[o.value].type.dtype));
}

// The fixed order: instance, inputs, outputs, workspaces, dims.
std::string prototype(const ir::Graph& graph, const plugin::Step& step, bool is_open = false) {
  std::string parameters = step.decl.uses_instance ? "void *instance" : "";
  auto add = [&](const std::string& p) { parameters += (parameters.empty() ? "" : ", ") + p; };
  for (std::size_t i = 0; i < step.inputs.size(); ++i)
    add("const " + operand_type(graph, step.inputs[i]) + " *in" + std::to_string(i));
  for (std::size_t i = 0; i < step.outputs.size(); ++i)
    add(operand_type(graph, step.outputs[i]) + " *out" + std::to_string(i));
  for (std::size_t i = 0; i < step.decl.workspaces.size(); ++i) add("void *ws" + std::to_string(i));
  if (is_open) add("const int32_t *dims");
  return "int32_t " + step.decl.symbol + "(" + (parameters.empty() ? "void" : parameters) + ")";
}

// {symbol, prototype} of each entry point, in the order of the header.
std::vector<std::pair<std::string, std::string>> entry_points(const ir::Graph& graph, const ir::Graph* open,
                                                              const plugin::Compilation& compilation) {
  std::vector<std::pair<std::string, std::string>> out;
  plan::for_each_graph(graph, [&](const ir::Graph& g) {
    for (const plugin::Step& s : plan::part_of(compilation, g, graph).steps)
      if (s.control == ir::kNoNode) out.emplace_back(s.decl.symbol, prototype(g, s));
  });
  if (open != nullptr)
    for (const plugin::Step& s : plan::part_of(compilation, *open, graph).steps)
      out.emplace_back(s.decl.symbol, prototype(*open, s, true));
  for (const plugin::InstanceArtifact& i : compilation.instances)
    for (const std::string& symbol : {i.decl.init, i.decl.reset, i.decl.deinit})
      if (!symbol.empty()) out.emplace_back(symbol, "int32_t " + symbol + "(void *instance)");
  return out;
}

std::string declaration(const ConstantArtifact& c) {
  const std::uint64_t count = c.bytes.size() * 8 / std::max(bit_width(c.element), 8u);
  return "extern const " + std::string(c_type(c.element)) + " " + c.symbol + "[" +
         std::to_string(std::max<std::uint64_t>(count, 1)) + "];\n";
}

std::string bound_declarations(const BoundConstants& bound, const std::string& prefix) {
  const std::string base = prefix + "_weights_base";
  std::string out = "extern const uint8_t *" + base + ";\n";
  for (const BoundConstant& c : bound.constants)
    out += "#define " + c.symbol + " ((const " + std::string(c_type(c.element)) + " *)(const void *)(" + base + " + " +
           std::to_string(c.offset) + "))\n";
  return out;
}

}  // namespace

InternalHeader internal_header(const ir::Graph& graph, const plugin::Compilation& compilation,
                               const std::string& prefix, const std::map<std::string, std::string>& kernel_names,
                               const BoundConstants* bound, const ir::Graph* open) {
  InternalHeader out;
  std::string kernels, constants, steps;
  for (const auto& [symbol, prototype] : entry_points(graph, open, compilation)) {
    steps += prototype + ";\n";
    out.prototypes.emplace(symbol, prototype);
  }
  for (const auto& [symbol, name] : kernel_names) kernels += "#define " + symbol + " " + name + "\n";
  for (const ConstantArtifact& c : compilation.constants)
    if (bound == nullptr || !c.moves) constants += declaration(c);
  if (bound != nullptr) constants += bound_declarations(*bound, prefix);
  out.text = fill_template("internal.h.in", {{"TITLE", c_comment(graph.name)},
                                             {"GUARD", "BYOC_INTERNAL_" + upper_case(prefix) + "_H"},
                                             {"KERNELS", kernels},
                                             {"CONSTANTS", constants},
                                             {"STEPS", steps}});
  return out;
}

}  // namespace byoc::executor
