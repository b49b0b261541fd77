#include "sdk/program/plan/commits.hpp"

#include <algorithm>
#include <set>

namespace byoc::plan {

Commits::Commits(const ir::Graph& graph, const Steps& steps, const std::vector<Location>& values, Buffers& buffers)
    : graph_(graph), steps_(steps), values_(values), buffers_(buffers) {}

void Commits::plan(const std::vector<Carried>& states) {
  for (const Carried& c : states) {
    const ir::ValueId source = steps_.storage(c.next);
    if (c.in_place || source == c.value) continue;
    pending_.push_back({values_[c.value], source, kNoBuffer, graph_.values[c.value].type.bytes()});
    if (values_[source].place == Place::workspace) buffers_.keep_value(source);
  }
  std::multimap<std::uint64_t, std::size_t> readers, writers;  // pending ones by the offset of the state
  std::set<std::size_t> open, free;                            // all, and those whose state nobody reads any more
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    open.insert(i);
    writers.emplace(pending_[i].to.offset, i);
    if (const auto state = state_read(pending_[i])) readers.emplace(*state, i);
  }
  const auto release = [&](std::uint64_t state) {
    for (auto [w, last] = writers.equal_range(state); w != last && !readers.contains(state); ++w)
      if (open.contains(w->second)) free.insert(w->second);
  };
  for (const Pending& p : pending_) release(p.to.offset);
  while (!open.empty()) {
    if (free.empty()) {
      const std::uint64_t state = pending_[*open.begin()].to.offset;
      spill(state, readers);
      release(state);
      continue;
    }
    const std::size_t i = *free.begin();
    const Pending& p = pending_[i];
    moves_.push_back({p.to, p.source, p.spill, kNoBuffer, p.bytes});
    free.erase(i);
    open.erase(i);
    const auto state = state_read(p);
    if (!state) continue;
    const auto [first, last] = readers.equal_range(*state);
    readers.erase(std::find_if(first, last, [&](const auto& r) { return r.second == i; }));
    release(*state);
  }
}

// The offset of the state whose place it still reads.
std::optional<std::uint64_t> Commits::state_read(const Pending& p) const {
  const Location& from = values_[p.source];
  if (p.spill != kNoBuffer || from.place != Place::instance) return std::nullopt;
  return from.offset;
}

// States that change places in a circle: what is read of this one goes through the workspace.
void Commits::spill(std::uint64_t state, std::multimap<std::uint64_t, std::size_t>& readers) {
  const auto [first, last] = readers.equal_range(state);
  const Pending& any = pending_[first->second];
  const std::uint32_t buffer = buffers_.add_at_end("a state that changes places", any.bytes);
  moves_.push_back({{}, any.source, kNoBuffer, buffer, any.bytes});
  for (auto r = first; r != last; ++r) pending_[r->second].spill = buffer;
  readers.erase(first, last);
}

std::vector<Commit> Commits::placed(const std::vector<Location>& values, const Plan& plan) const {
  std::vector<Commit> out;
  for (const Move& m : moves_) {
    Commit commit{m.to, values[m.source], m.bytes};
    if (m.from_buffer != kNoBuffer) commit.from = buffers_.location(m.from_buffer, plan);
    if (m.to_buffer != kNoBuffer) commit.to = buffers_.location(m.to_buffer, plan);
    out.push_back(commit);
  }
  return out;
}

}  // namespace byoc::plan
