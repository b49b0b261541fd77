#include "sdk/program/plan/open_calls.hpp"

#include <algorithm>

#include "sdk/program/plan/results.hpp"

namespace byoc::plan {
namespace {

// The operand for a value of the node.
Operand given(const ir::Graph& open, const ir::Node& node, ir::ValueId v) {
  Operand out{Place::given, 0, 0, 0, open.values[v].type.dtype, v};
  const auto input = std::find(node.inputs.begin(), node.inputs.end(), v);
  const bool is_input = input != node.inputs.end();
  const auto output = std::find(node.outputs.begin(), node.outputs.end(), v);
  out.index = static_cast<std::uint32_t>(is_input ? input - node.inputs.begin()
                                                  : static_cast<std::ptrdiff_t>(node.inputs.size()) +
                                                        (output - node.outputs.begin()));
  return out;
}

bool has_private(const std::vector<plugin::StepOperand>& operands) {
  return std::any_of(operands.begin(), operands.end(), [](const auto& o) { return o.value == ir::kNoValue; });
}

}  // namespace

Result<std::vector<Call>> open_calls(const ir::Graph& open, const plugin::Compilation& compilation,
                                     Diagnostics& diags) {
  const auto part = compilation.bodies.find(&open);
  std::vector<Call> out(open.nodes.size());
  std::vector<std::size_t> made(open.nodes.size(), 0);
  const auto refuse = [&](ir::NodeId n, const plugin::Step* step, const std::string& what) {
    return diags.error(open.file, open.nodes[n].describe(),
                       (step == nullptr ? "its codegen" : "codegen '" + step->codegen + "'") + " " + what, {},
                       "one step without an instance and private values, for dims are known only when it runs");
  };
  for (std::size_t s = 0; part != compilation.bodies.end() && s < part->second.steps.size(); ++s) {
    const plugin::Step& step = part->second.steps[s];
    const ir::NodeId n = step.order;
    if (step.decl.uses_instance || has_private(step.inputs) || has_private(step.outputs) || ++made[n] > 1)
      return refuse(n, &step, "makes a step that cannot be called by itself");
    Call& call = out[n];
    call.step = describe(open, step, compilation);
    for (const plugin::StepOperand& o : step.inputs) call.inputs.push_back(given(open, open.nodes[n], o.value));
    for (const plugin::StepOperand& o : step.outputs) call.outputs.push_back(given(open, open.nodes[n], o.value));
    for (const codegen::Workspace& w : step.decl.workspaces) call.workspaces.push_back({Place::given, 0, 0, w.bytes});
  }
  for (ir::NodeId n = 0; n < made.size(); ++n)
    if (made[n] == 0) return refuse(n, nullptr, "makes no step of it");
  return out;
}

}  // namespace byoc::plan
