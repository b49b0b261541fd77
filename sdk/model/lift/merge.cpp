// Keeps one Quantize for each value and quantisation, and one Dequantize for each value.
#include <algorithm>
#include <map>

#include "sdk/model/lift/rewriter.hpp"

namespace byoc::lift {

void merge_equal(ir::Graph& graph) {
  std::map<std::pair<std::string, ir::ValueId>, std::vector<ir::ValueId>> seen;
  std::map<ir::ValueId, ir::ValueId> merged;  // nodes are in order: what is merged is known before it is read
  std::vector<bool> leaves(graph.values.size(), false);
  for (const ir::ValueId v : graph.outputs) leaves[v] = true;
  for (const ir::State& s : graph.states) leaves[s.next] = true;
  const auto read_as = [&](ir::ValueId v) {
    const auto it = merged.find(v);
    return it == merged.end() ? v : it->second;
  };
  std::erase_if(graph.nodes, [&](const ir::Node& n) {
    if (n.domain != "byoc" || (n.op != "Quantize" && n.op != "Dequantize")) return false;
    const ir::ValueId y = n.outputs[0];
    auto& others = seen[{n.op, read_as(n.inputs[0])}];
    const auto same = std::find_if(others.begin(), others.end(),
                                   [&](ir::ValueId o) { return graph.values[o].type == graph.values[y].type; });
    // Outputs of the graph stay values of their own, with their names.
    if (same == others.end() || leaves[y]) {
      others.push_back(y);
      return false;
    }
    merged.emplace(y, *same);
    return true;
  });
  for (ir::Node& n : graph.nodes)
    for (ir::ValueId& v : n.inputs) v = read_as(v);
}

}  // namespace byoc::lift
