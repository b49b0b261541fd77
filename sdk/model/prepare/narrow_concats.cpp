#include "sdk/model/prepare/narrow_concats.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "sdk/model/ir/control.hpp"

namespace byoc {
namespace {

using Operands = std::vector<ir::ValueId>;

// The axis from the first dim on; nullopt where a shape is not known.
std::optional<std::size_t> concat_axis(const ir::Graph& graph, const ir::Node& node) {
  const ir::TensorType& y = graph.values[node.outputs[0]].type;
  const bool known = std::all_of(node.inputs.begin(), node.inputs.end(),
                                 [&](ir::ValueId v) { return v != ir::kNoValue && graph.values[v].type.is_static(); });
  if (!known || !y.is_static()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(y.dims->size());
  std::int64_t axis = node.integer("axis", 0);
  if (axis < 0) axis += rank;
  return axis >= 0 && axis < rank ? std::optional(static_cast<std::size_t>(axis)) : std::nullopt;
}

// The operands one behind the other, as a value of the result's type.
ir::ValueId together(ir::Graph& graph, const ir::Node& node, std::size_t axis, Operands operands,
                     std::vector<ir::Node>& nodes) {
  ir::Value value;
  value.type = graph.values[node.outputs[0]].type;
  ir::Dim length = 0;
  for (const ir::ValueId v : operands) length += (*graph.values[v].type.dims)[axis];
  (*value.type.dims)[axis] = length;
  ir::Node part = node;
  part.attributes.erase("activation");  // of the result alone
  part.inputs = std::move(operands);
  part.outputs = {graph.add_value(std::move(value))};
  nodes.push_back(part);
  return part.outputs[0];
}

void narrow(ir::Graph& graph, ir::Node node, std::size_t axis, std::vector<ir::Node>& nodes) {
  while (node.inputs.size() > kMostOperands) {
    Operands fewer;
    for (auto at = node.inputs.begin(); at != node.inputs.end();) {
      const auto left = static_cast<std::size_t>(std::distance(at, node.inputs.end()));
      const auto next = std::next(at, static_cast<std::ptrdiff_t>(std::min(left, kMostOperands)));
      fewer.push_back(std::distance(at, next) == 1 &&
                              graph.values[*at].type.quantisation == graph.values[node.outputs[0]].type.quantisation
                          ? *at
                          : together(graph, node, axis, {at, next}, nodes));
      at = next;
    }
    node.inputs = std::move(fewer);
  }
  nodes.push_back(std::move(node));
}

}  // namespace

bool narrow_concats(ir::Graph& graph) {
  bool changed = false;
  std::vector<ir::Node> nodes;
  for (ir::Node& node : graph.nodes) {
    for (const auto& body : ir::bodies(node)) changed = narrow_concats(*body) || changed;
    const bool wide = node.is("", "Concat") && node.inputs.size() > kMostOperands;
    const auto axis = wide ? concat_axis(graph, node) : std::nullopt;
    if (axis)
      narrow(graph, std::move(node), *axis, nodes);
    else
      nodes.push_back(std::move(node));
    changed = changed || axis.has_value();
  }
  graph.nodes = std::move(nodes);
  return changed;
}

}  // namespace byoc
