#include "sdk/codegen/partition/quotient.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

namespace byoc {

// Searches forward or backward from a set of parts, among the parts between its first and its last in the order: no
// other part can be on a cycle with it. It advances edge by edge, so that two searches can run side by side.
class Quotient::Search {
 public:
  Search(Quotient& all, std::span<const std::uint32_t> parts, Way way)
      : all_(all), way_(way), own_(parts.size()), queue_(parts.begin(), parts.end()) {
    end_ = all.parts_[queue_[0]].label;
    for (const std::uint32_t p : queue_)
      end_ = way == forward ? std::max(end_, all.parts_[p].label) : std::min(end_, all.parts_[p].label);
  }

  enum class State : std::uint8_t { open, ended, circle };
  State step() {
    while (at_ < queue_.size() && edge_ == edges().size()) {
      ++at_;
      edge_ = 0;
    }
    if (at_ == queue_.size()) return State::ended;
    const std::uint32_t to = all_.part_[edges()[edge_]];
    Part& part = all_.parts_[to];
    if (to == queue_[at_]) {  // of no use any more
      edges()[edge_] = edges().back();
      edges().pop_back();
      return State::open;
    }
    ++edge_;
    if (part.wanted == all_.searches_) return at_ < own_ ? State::open : State::circle;
    const bool beyond = way_ == forward ? part.label > end_ : part.label < end_;
    if (!beyond && part.seen[way_] != all_.searches_) {
      part.seen[way_] = all_.searches_;
      queue_.push_back(to);
    }
    return State::open;
  }
  [[nodiscard]] std::vector<std::uint32_t> found() const {
    return {queue_.begin() + static_cast<std::ptrdiff_t>(own_), queue_.end()};
  }

 private:
  std::vector<ir::NodeId>& edges() { return all_.parts_[queue_[at_]].edges[way_]; }

  Quotient& all_;
  Way way_;
  std::size_t own_;
  std::vector<std::uint32_t> queue_;  // the set, then what was found
  std::size_t at_ = 0, edge_ = 0;
  std::uint64_t end_ = 0;
};

Quotient::Quotient(const ir::Graph& graph)
    : readers_(graph.nodes.size()), part_(graph.nodes.size()), parts_(graph.nodes.size()) {
  const std::vector<std::vector<ir::NodeId>> consumers = ir::consumers(graph);
  const auto count = static_cast<ir::NodeId>(graph.nodes.size());
  for (ir::NodeId n = 0; n < count; ++n) {
    std::vector<ir::NodeId>& readers = readers_[n];
    for (ir::ValueId v : graph.nodes[n].outputs)
      if (v != ir::kNoValue) readers.insert(readers.end(), consumers[v].begin(), consumers[v].end());
    std::sort(readers.begin(), readers.end());
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    parts_[n].members = {n};
    parts_[n].edges[forward] = readers;
    for (const ir::NodeId r : readers) parts_[r].edges[backward].push_back(n);
    put_in(n, n == 0 ? kNone : n - 1, kNone);  // nodes are in an order in which they can run
  }
  std::iota(part_.begin(), part_.end(), 0u);
  label_all();
}

void Quotient::label_all() {
  const std::uint64_t step = std::numeric_limits<std::uint64_t>::max() / (parts_.size() + 1);
  std::uint64_t label = 0;
  for (std::uint32_t p = first_; p != kNone; p = parts_[p].next) parts_[p].label = label += step;
}

void Quotient::take_out(std::uint32_t part) {
  const Part& p = parts_[part];
  (p.previous == kNone ? first_ : parts_[p.previous].next) = p.next;
  if (p.next != kNone) parts_[p.next].previous = p.previous;
}

void Quotient::put_in(std::uint32_t part, std::uint32_t previous, std::uint32_t next) {
  parts_[part].previous = previous;
  parts_[part].next = next;
  (previous == kNone ? first_ : parts_[previous].next) = part;
  if (next != kNone) parts_[next].previous = part;
}

// Moves the parts and keeps their order.
void Quotient::move_beside(std::vector<std::uint32_t> parts, std::uint32_t place, Way side) {
  if (parts.empty()) return;
  std::sort(parts.begin(), parts.end(), [&](auto a, auto b) { return parts_[a].label < parts_[b].label; });
  for (const std::uint32_t p : parts) take_out(p);
  std::uint32_t previous = side == forward ? place : parts_[place].previous;
  const std::uint32_t next = side == forward ? parts_[place].next : place;
  const std::uint64_t least = previous == kNone ? 0 : parts_[previous].label;
  const std::uint64_t most = next == kNone ? std::numeric_limits<std::uint64_t>::max() : parts_[next].label;
  const std::uint64_t step = (most - least) / (parts.size() + 1);
  std::uint64_t label = least;
  for (const std::uint32_t p : parts) {
    put_in(p, previous, next);
    parts_[p].label = label += step;
    previous = p;
  }
  if (step == 0) label_all();
}

// Into the largest of them, which goes to the place of `place`.
std::uint32_t Quotient::unite(std::span<const std::uint32_t> parts, std::uint32_t place) {
  const std::uint32_t into =
      *std::max_element(parts.begin(), parts.end(), [&](auto a, auto b) { return size(a) < size(b); });
  for (const std::uint32_t p : parts)
    if (p != place) take_out(p);
  if (into != place) {
    put_in(into, parts_[place].previous, parts_[place].next);
    parts_[into].label = parts_[place].label;
  }
  Part& whole = parts_[into];
  for (const std::uint32_t p : parts) {
    if (p == into) continue;
    Part& part = parts_[p];
    for (const ir::NodeId n : part.members) part_[n] = into;
    whole.sorted = whole.sorted && part.sorted && whole.members.back() < part.members.front();
    whole.members.insert(whole.members.end(), part.members.begin(), part.members.end());
    for (const Way way : {forward, backward})
      whole.edges[way].insert(whole.edges[way].end(), part.edges[way].begin(), part.edges[way].end());
    part = Part();
  }
  return into;
}

// Two searches look for a circle, one from either end. The first that comes to its end knows which parts have to stand
// on the other side of the whole.
bool Quotient::contract(std::span<const std::uint32_t> parts) {
  if (parts.size() < 2) return true;
  ++searches_;
  for (const std::uint32_t p : parts) parts_[p].wanted = searches_;
  std::array<Search, 2> searches{Search(*this, parts, forward), Search(*this, parts, backward)};
  for (;;)
    for (const Way way : {forward, backward}) {
      const Search::State state = searches[way].step();
      if (state == Search::State::circle) return false;
      if (state == Search::State::open) continue;
      const auto earlier = [&](auto a, auto b) { return parts_[a].label < parts_[b].label; };
      const auto [first, last] = std::minmax_element(parts.begin(), parts.end(), earlier);
      move_beside(searches[way].found(), unite(parts, way == forward ? *last : *first), way);
      return true;
    }
}

bool Quotient::try_join(std::span<const ir::NodeId> nodes) {
  std::vector<std::uint32_t> parts;
  for (const ir::NodeId n : nodes) parts.push_back(part_[n]);
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return contract(parts);
}

bool Quotient::try_merge(std::uint32_t a, std::uint32_t b) {
  return a == b || contract(std::array<std::uint32_t, 2>{a, b});
}

const std::vector<ir::NodeId>& Quotient::members(std::uint32_t part) const {
  const Part& p = parts_[part];
  if (!p.sorted) std::sort(p.members.begin(), p.members.end());
  p.sorted = true;
  return p.members;
}

std::vector<std::uint32_t> Quotient::order() const {
  std::vector<std::size_t> waiting(parts_.size(), 0);
  for (std::uint32_t p = 0; p < parts_.size(); ++p)
    for (ir::NodeId n : members(p))
      for (ir::NodeId s : readers_[n])
        if (part_[s] != p) ++waiting[part_[s]];
  const auto later = [&](std::uint32_t a, std::uint32_t b) { return members(a).front() > members(b).front(); };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(later)> ready(later);
  for (std::uint32_t p = 0; p < parts_.size(); ++p)
    if (!members(p).empty() && waiting[p] == 0) ready.push(p);
  std::vector<std::uint32_t> out;
  while (!ready.empty()) {
    const std::uint32_t p = ready.top();
    ready.pop();
    out.push_back(p);
    for (ir::NodeId n : members(p))
      for (ir::NodeId s : readers_[n])
        if (part_[s] != p && --waiting[part_[s]] == 0) ready.push(part_[s]);
  }
  return out;
}

}  // namespace byoc
