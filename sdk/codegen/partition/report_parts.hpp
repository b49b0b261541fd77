// Parts that all forms of the report share. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/codegen/partition/partition.hpp"

namespace byoc {

// Calls f(graph, placements) for the graph and for each body in it.
template <class F>
void for_each_placed(const ir::Graph& graph, const std::vector<NodePlacement>& nodes, const Partition& partition,
                     F&& f) {
  f(graph, nodes);
  for (const ir::Node& node : graph.nodes)
    for (const auto& body : ir::bodies(node)) for_each_placed(*body, partition.bodies.at(body.get()), partition, f);
}

// The model is 0, the graphs inside its nodes count on from there in the order of for_each_placed: their nodes have
// indices of their own.
[[nodiscard]] inline std::map<const ir::Graph*, std::size_t> number_graphs(const ir::Graph& graph,
                                                                           const Partition& partition) {
  std::map<const ir::Graph*, std::size_t> out;
  for_each_placed(graph, partition.nodes, partition,
                  [&](const ir::Graph& g, const auto&) { out.emplace(&g, out.size()); });
  return out;
}

// The kernels that say how large they are, each once however many steps call it.
struct SharedKernel {
  std::uint64_t bytes = 0;
  std::size_t steps = 0;
};
[[nodiscard]] std::map<std::string, SharedKernel> shared_kernels(const ModelInterface& model);

}  // namespace byoc
