#include <algorithm>

#include "sdk/program/executor/graph/graph_of_program.hpp"

namespace byoc::executor {
namespace {

struct Storage {
  std::uint64_t bytes = 0;
  std::int64_t free_after = 0;  // the last node in which it is in use
};

// The smallest that is large enough, else the largest; nothing where all are in use.
std::size_t choose(const std::vector<Storage>& all, std::uint64_t bytes, std::int64_t first) {
  std::size_t best = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].free_after >= first) continue;
    const bool better =
        best == all.size() || (all[i].bytes >= bytes ? all[best].bytes < bytes || all[i].bytes < all[best].bytes
                                                     : all[best].bytes < bytes && all[i].bytes > all[best].bytes);
    if (better) best = i;
  }
  return best;
}

}  // namespace

// `storage` of an entry says so far which entry it shares one with, which is the first of those.
void assign_storage(GraphJson& graph, const std::vector<bool>& own) {
  std::vector<EntryLife> lives = entry_lives(graph);
  std::vector<std::uint64_t> bytes(graph.entries.size());
  for (std::uint32_t e = 0; e < graph.entries.size(); ++e) {
    const std::uint32_t group = graph.entries[e].storage;
    lives[group].last = std::max(lives[group].last, lives[e].last);
    bytes[group] = std::max(bytes[group], graph.entry_bytes(e));
  }
  std::vector<Storage> all;
  std::vector<std::uint32_t> ids(graph.entries.size());
  const auto end = static_cast<std::int64_t>(graph.nodes.size());
  for (std::uint32_t e = 0; e < graph.entries.size(); ++e) {
    if (graph.entries[e].storage != e) continue;
    std::size_t id = own[e] ? all.size() : choose(all, bytes[e], lives[e].first);
    if (id == all.size()) all.push_back({});
    all[id] = {std::max(all[id].bytes, bytes[e]), own[e] ? end : lives[e].last};
    ids[e] = static_cast<std::uint32_t>(id);
  }
  for (GraphJsonEntry& entry : graph.entries) entry.storage = ids[entry.storage];
}

}  // namespace byoc::executor
