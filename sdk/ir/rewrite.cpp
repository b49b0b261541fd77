#include "sdk/ir/rewrite.hpp"

#include <queue>

namespace byoc::ir {
namespace {

template <class F>
void for_each_read(const Node& node, F&& f) {
  for (ValueId v : node.inputs)
    if (v != kNoValue) f(v);
}

}  // namespace

Result<void> sort_topologically(Graph& graph, Diagnostics& diags) {
  const std::vector<NodeId> producer = producers(graph);
  std::vector<std::vector<NodeId>> readers(graph.nodes.size());
  std::vector<std::size_t> waiting(graph.nodes.size(), 0);
  for (NodeId n = 0; n < graph.nodes.size(); ++n)
    for_each_read(graph.nodes[n], [&](ValueId v) {
      if (producer[v] == kNoNode) return;
      readers[producer[v]].push_back(n);
      ++waiting[n];
    });
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (NodeId n = 0; n < graph.nodes.size(); ++n)
    if (waiting[n] == 0) ready.push(n);
  std::vector<Node> sorted;
  sorted.reserve(graph.nodes.size());
  while (!ready.empty()) {
    const NodeId n = ready.top();
    ready.pop();
    for (NodeId r : readers[n])
      if (--waiting[r] == 0) ready.push(r);
    sorted.push_back(std::move(graph.nodes[n]));
  }
  if (sorted.size() != graph.nodes.size()) {
    Failure f;
    for (NodeId n = 0; n < graph.nodes.size(); ++n)
      if (waiting[n] != 0) f = diags.error(graph.file, graph.nodes[n].describe(), "is on a cycle or behind one");
    return f;
  }
  graph.nodes = std::move(sorted);
  return {};
}

void replace_uses(Graph& graph, ValueId from, ValueId to) {
  for (Node& n : graph.nodes)
    for (ValueId& v : n.inputs)
      if (v == from) v = to;
  for (ValueId& v : graph.outputs)
    if (v == from) v = to;
}

void remove_dead(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  for (ValueId v : graph.outputs) needed[v] = true;
  std::vector<Node> kept;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    Node& node = graph.nodes[i];
    bool alive = false;
    for (ValueId v : node.outputs) alive = alive || (v != kNoValue && needed[v]);
    // A node that writes state is needed for what it leaves behind.
    for_each_read(node, [&](ValueId v) { alive = alive || graph.values[v].is_state; });
    if (!alive) continue;
    for_each_read(node, [&](ValueId v) { needed[v] = true; });
    kept.push_back(std::move(node));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));

  std::vector<bool> named = needed;
  for (ValueId v : graph.inputs) named[v] = true;
  for (const Node& n : graph.nodes)
    for (ValueId v : n.outputs)
      if (v != kNoValue) named[v] = true;
  std::vector<ValueId> renumbered(graph.values.size(), kNoValue);
  std::vector<Value> values;
  for (ValueId v = 0; v < graph.values.size(); ++v) {
    if (!named[v]) continue;
    renumbered[v] = static_cast<ValueId>(values.size());
    values.push_back(std::move(graph.values[v]));
  }
  graph.values = std::move(values);
  auto renumber = [&](std::vector<ValueId>& ids) {
    for (ValueId& v : ids)
      if (v != kNoValue) v = renumbered[v];
  };
  renumber(graph.inputs);
  renumber(graph.outputs);
  for (Node& n : graph.nodes) {
    renumber(n.inputs);
    renumber(n.outputs);
  }
}

}  // namespace byoc::ir
