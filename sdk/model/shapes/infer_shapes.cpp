#include "sdk/model/shapes/infer_shapes.hpp"
#include "sdk/model/shapes/rules.hpp"

namespace byoc {
namespace {

Result<void> check_counts(const shapes::Inference& call, const ir::Operator& op) {
  const ir::Node& node = call.node;
  if (const auto problem = ir::check_counts(op, node.inputs.size(), node.outputs.size()); problem.what != nullptr)
    return call.error(problem.what, std::to_string(problem.found), problem.expected);
  for (std::size_t i = 0; i < op.arity.least_inputs; ++i)
    if (node.inputs[i] == ir::kNoValue) return call.error("input " + std::to_string(i) + " is missing");
  return {};
}

// An operand without a type yet: what computes it waits for a constant that folding will bring.
bool operands_known(const shapes::Inference& call) {
  for (std::size_t i = 0; i < call.node.inputs.size(); ++i)
    if (const ir::TensorType* t = call.find(i))
      if (t->dtype == DType::undefined || (t->is_tensor() && !t->dims)) return false;
  return true;
}

// Sequences, optionals and strings go to operators that know them.
Result<void> check_kinds(const shapes::Inference& call, const ir::Operator& op) {
  for (std::size_t i = 0; i < call.node.inputs.size(); ++i) {
    const ir::TensorType* t = call.find(i);
    if (t == nullptr) continue;
    if (!t->is_tensor() && !op.has(ir::kHolds))
      return call.error("input " + std::to_string(i) + " is not a tensor", call.text(i), "a tensor");
    if (t->is_tensor() && t->dtype == DType::string && !op.has(ir::kTexts) && !op.has(ir::kRanks))
      return call.error("element type of input " + std::to_string(i) + " is not one that the operator takes", "string");
  }
  return {};
}

}  // namespace

Result<bool> infer_node(ir::Graph& graph, ir::Node& node, Diagnostics& diags) {
  if (ir::is_foreign(node.domain, node.op)) return false;  // the model states its types
  const ir::Operator* op = ir::find_operator(node.domain, node.op);
  if (op == nullptr)
    return diags.error(
        graph.file, node.describe(), "operator is not supported",
        (node.domain.empty() ? "" : node.domain + ".") + node.op + " version " + std::to_string(node.version));
  const shapes::Inference call(graph, node, diags);
  if (!check_counts(call, *op) || !check_kinds(call, *op) || (operands_known(call) && !shapes::rule_of(*op)(call)))
    return failure;
  return call.changed;
}

Result<bool> infer_shapes(ir::Graph& graph, Diagnostics& diags) {
  bool ok = true, changed = false;
  for (ir::Node& node : graph.nodes) {
    const auto done = infer_node(graph, node, diags);
    ok = ok && done;
    changed = changed || (done && *done);
  }
  if (!ok) return failure;
  return changed;
}

}  // namespace byoc
