#include "sdk/plan/commits.hpp"

#include <algorithm>

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
  while (!pending_.empty()) {
    const auto free = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) {
      return std::none_of(pending_.begin(), pending_.end(), [&](const Pending& other) { return reads(other, p.to); });
    });
    if (free == pending_.end()) {
      spill();
      continue;
    }
    moves_.push_back({free->to, free->source, free->spill, kNoBuffer, free->bytes});
    pending_.erase(free);
  }
}

bool Commits::reads(const Pending& p, const Location& state) const {
  const Location& from = values_[p.source];
  return p.spill == kNoBuffer && from.place == Place::instance && from.offset == state.offset;
}

// States that change places in a circle: one of them goes through the workspace.
void Commits::spill() {
  const Location state = pending_.front().to;
  std::uint32_t buffer = kNoBuffer;
  for (Pending& p : pending_) {
    if (!reads(p, state)) continue;
    if (buffer == kNoBuffer) {
      buffer = buffers_.add_at_end("a state that changes places", p.bytes);
      moves_.push_back({{}, p.source, kNoBuffer, buffer, p.bytes});
    }
    p.spill = buffer;
  }
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
