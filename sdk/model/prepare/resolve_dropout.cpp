#include "sdk/model/prepare/resolve_dropout.hpp"

#include <algorithm>

namespace byoc {
namespace {

constexpr std::int64_t kMaskVersion = 15;

bool is_zero(const ir::Graph& graph, ir::ValueId v) {
  if (!graph.is_constant(v)) return false;
  const auto bytes = graph.values[v].constant->bytes.bytes();
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

bool drops_nothing(const ir::Graph& graph, const ir::Node& node) {
  return node.is("", "Dropout") && node.inputs.size() == 3 &&
         (is_zero(graph, node.inputs[2]) || is_zero(graph, node.inputs[1]));
}

void add(ir::Graph& graph, ir::Node node, const char* op, ir::ValueId from, ir::ValueId to) {
  node.op = op;
  node.version = kMaskVersion;
  node.inputs = {from};
  node.outputs = {to};
  graph.add_node(std::move(node));
}

// The mask has the shape of the input, and one value.
void add_mask(ir::Graph& graph, const ir::Node& like, ir::ValueId mask) {
  const ir::ValueId shape = graph.add_value({});
  add(graph, like, "Shape", like.inputs[0], shape);
  ir::Tensor kept;
  kept.type.dtype = DType::boolean;
  kept.type.dims = {1};
  kept.bytes = Blob::own({std::byte{1}});
  add(graph, like, "ConstantOfShape", shape, mask);
  graph.nodes.back().attributes["value"] = std::move(kept);
}

}  // namespace

bool resolve_dropout(ir::Graph& graph) {
  bool changed = false;
  std::vector<ir::Node> nodes = std::move(graph.nodes);
  graph.nodes.clear();
  for (ir::Node& node : nodes) {
    for (const auto& body : ir::bodies(node)) changed = resolve_dropout(*body) || changed;
    if (!drops_nothing(graph, node)) {
      graph.nodes.push_back(std::move(node));
      continue;
    }
    changed = true;
    node.attributes.clear();
    if (node.outputs.size() > 1 && node.outputs[1] != ir::kNoValue) add_mask(graph, node, node.outputs[1]);
    if (node.outputs[0] != ir::kNoValue) add(graph, node, "Identity", node.inputs[0], node.outputs[0]);
  }
  return changed;
}

}  // namespace byoc
