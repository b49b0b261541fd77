#include "sdk/partition/quotient.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace byoc {

Quotient::Quotient(const ir::Graph& graph) : successors_(graph.nodes.size()), part_(graph.nodes.size()) {
  const std::vector<std::vector<ir::NodeId>> readers = ir::consumers(graph);
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) {
    for (ir::ValueId v : graph.nodes[n].outputs)
      if (v != ir::kNoValue) successors_[n].insert(successors_[n].end(), readers[v].begin(), readers[v].end());
    std::sort(successors_[n].begin(), successors_[n].end());
    successors_[n].erase(std::unique(successors_[n].begin(), successors_[n].end()), successors_[n].end());
    members_.push_back({n});
  }
  std::iota(part_.begin(), part_.end(), 0u);
}

template <class F>
bool Quotient::reaches(std::vector<ir::NodeId> open, const F& is_target) const {
  std::vector<bool> seen(members_.size(), false);
  while (!open.empty()) {
    const std::uint32_t part = part_[open.back()];
    open.pop_back();
    if (is_target(part)) return true;
    if (seen[part]) continue;
    seen[part] = true;
    for (ir::NodeId n : members_[part]) open.insert(open.end(), successors_[n].begin(), successors_[n].end());
  }
  return false;
}

bool Quotient::may_join(std::span<const ir::NodeId> nodes) const {
  std::vector<ir::NodeId> sorted(nodes.begin(), nodes.end());
  std::sort(sorted.begin(), sorted.end());
  const auto inside = [&](ir::NodeId n) { return std::binary_search(sorted.begin(), sorted.end(), n); };
  std::vector<ir::NodeId> open;
  for (ir::NodeId n : nodes)
    for (ir::NodeId s : successors_[n])
      if (!inside(s)) open.push_back(s);
  return !reaches(std::move(open), [&](std::uint32_t part) { return inside(members_[part].front()); });
}

void Quotient::join(std::span<const ir::NodeId> nodes) {
  std::vector<ir::NodeId> all(nodes.begin(), nodes.end());
  for (ir::NodeId n : nodes) {
    members_[part_[n]].clear();
    part_[n] = part_[nodes[0]];
  }
  std::sort(all.begin(), all.end());
  members_[part_[nodes[0]]] = std::move(all);
}

bool Quotient::may_merge(std::uint32_t from, std::uint32_t to) const {
  std::vector<ir::NodeId> open;
  for (ir::NodeId n : members_[from])
    for (ir::NodeId s : successors_[n])
      if (part_[s] != from && part_[s] != to) open.push_back(s);
  return !reaches(std::move(open), [&](std::uint32_t part) { return part == to; });
}

void Quotient::merge(std::uint32_t into, std::uint32_t other) {
  if (into == other) return;
  for (ir::NodeId n : members_[other]) part_[n] = into;
  std::vector<ir::NodeId> all;
  std::merge(members_[into].begin(), members_[into].end(), members_[other].begin(), members_[other].end(),
             std::back_inserter(all));
  members_[into] = std::move(all);
  members_[other].clear();
}

std::vector<std::uint32_t> Quotient::order() const {
  std::vector<std::size_t> waiting(members_.size(), 0);
  for (std::uint32_t p = 0; p < members_.size(); ++p)
    for (ir::NodeId n : members_[p])
      for (ir::NodeId s : successors_[n])
        if (part_[s] != p) ++waiting[part_[s]];
  const auto later = [&](std::uint32_t a, std::uint32_t b) { return members_[a].front() > members_[b].front(); };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(later)> ready(later);
  for (std::uint32_t p = 0; p < members_.size(); ++p)
    if (!members_[p].empty() && waiting[p] == 0) ready.push(p);
  std::vector<std::uint32_t> out;
  while (!ready.empty()) {
    const std::uint32_t p = ready.top();
    ready.pop();
    out.push_back(p);
    for (ir::NodeId n : members_[p])
      for (ir::NodeId s : successors_[n])
        if (part_[s] != p && --waiting[part_[s]] == 0) ready.push(part_[s]);
  }
  return out;
}

}  // namespace byoc
