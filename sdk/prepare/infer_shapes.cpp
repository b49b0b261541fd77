#include "sdk/prepare/prepare.hpp"
#include "sdk/prepare/shapes/rules.hpp"

namespace byoc {
namespace {

Result<void> check_counts(const shapes::Inference& call, const shapes::Rule& rule) {
  const ir::Node& node = call.node;
  if (node.inputs.size() < rule.least_inputs || node.inputs.size() > rule.most_inputs)
    return call.error("wrong number of inputs", std::to_string(node.inputs.size()),
                      rule.most_inputs == shapes::kAny
                          ? "at least " + std::to_string(rule.least_inputs)
                          : std::to_string(rule.least_inputs) + " to " + std::to_string(rule.most_inputs));
  for (std::size_t i = 0; i < rule.least_inputs; ++i)
    if (node.inputs[i] == ir::kNoValue) return call.error("input " + std::to_string(i) + " is missing");
  if (node.outputs.empty() || node.outputs.size() > rule.most_outputs)
    return call.error("wrong number of outputs", std::to_string(node.outputs.size()),
                      "1 to " + std::to_string(rule.most_outputs));
  return {};
}

// An operand without a type yet: what computes it waits for a constant that folding will bring.
bool operands_known(const shapes::Inference& call) {
  for (std::size_t i = 0; i < call.node.inputs.size(); ++i)
    if (const ir::TensorType* t = call.find(i))
      if (t->dtype == DType::undefined || !t->dims) return false;
  return true;
}

}  // namespace

Result<void> infer_shapes(ir::Graph& graph, Diagnostics& diags) {
  bool ok = true;
  for (ir::Node& node : graph.nodes) {
    const shapes::Inference call(graph, node, diags);
    const shapes::Rule* rule = shapes::find_rule(node.domain, node.op);
    if (rule == nullptr) {
      diags.error(
          graph.file, node.describe(), "operator is not supported",
          (node.domain.empty() ? "" : node.domain + ".") + node.op + " version " + std::to_string(node.version));
      ok = false;
    } else if (!check_counts(call, *rule) || (operands_known(call) && !rule->function(call))) {
      ok = false;
    }
  }
  if (!ok) return failure;
  return {};
}

}  // namespace byoc
