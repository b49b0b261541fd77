#include "sdk/model/ir/rewrite.hpp"

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
  for (State& s : graph.states)
    if (s.next == from) s.next = to;
}

namespace {

// Marks what `needed` needs in turn; true for each node that must stay.
std::vector<bool> mark_needed(const Graph& graph, std::vector<bool>& needed) {
  std::vector<bool> alive(graph.nodes.size(), false);
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    for (ValueId v : graph.nodes[i].outputs) alive[i] = alive[i] || (v != kNoValue && needed[v]);
    if (alive[i]) for_each_read(graph.nodes[i], [&](ValueId v) { needed[v] = true; });
  }
  return alive;
}

// The next value of a state is needed if the state is. It may read further states.
std::vector<bool> mark_with_states(const Graph& graph, std::vector<bool>& needed) {
  std::vector<bool> alive = mark_needed(graph, needed);
  for (bool more = true; more;) {
    more = false;
    for (const State& s : graph.states) {
      if (!needed[s.value] || needed[s.next]) continue;
      needed[s.next] = more = true;
    }
    if (more) alive = mark_needed(graph, needed);
  }
  return alive;
}

}  // namespace

void remove_dead(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  for (ValueId v : graph.outputs) needed[v] = true;
  const std::vector<bool> alive = mark_with_states(graph, needed);
  std::vector<Node> kept;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (alive[i]) kept.push_back(std::move(graph.nodes[i]));
  graph.nodes = std::move(kept);
  std::erase_if(graph.states, [&](const State& s) { return !needed[s.value]; });

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
  for (State& s : graph.states) {
    s.value = renumbered[s.value];
    s.next = renumbered[s.next];
  }
  for (Node& n : graph.nodes) {
    renumber(n.inputs);
    renumber(n.outputs);
  }
}

}  // namespace byoc::ir
