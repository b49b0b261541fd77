// Whether nodes import each other in a circle, found without recursion: whoever wrote the nodes decides the depth.
#pragma once

#include <cstdint>
#include <vector>

namespace byoc {

// `imports` of each node are positions in `nodes`. Removes nodes that no remaining node imports until none is left.
template <class Node>
[[nodiscard]] bool has_cycle(const std::vector<Node>& nodes) {
  std::vector<std::uint32_t> importers(nodes.size()), free;
  for (const Node& n : nodes)
    for (const std::uint32_t i : n.imports) ++importers[i];
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (importers[i] == 0) free.push_back(i);
  std::size_t taken = 0;
  for (; !free.empty(); ++taken) {
    const std::uint32_t at = free.back();
    free.pop_back();
    for (const std::uint32_t i : nodes[at].imports)
      if (--importers[i] == 0) free.push_back(i);
  }
  return taken != nodes.size();
}

}  // namespace byoc
