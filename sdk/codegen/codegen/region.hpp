// The graph as codegens see it: a region is a copy of its structure with spans over the constants.
#pragma once

#include <span>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::plugin {

// A region and where its values and nodes came from. The graph must outlive it.
struct BoundRegion {
  codegen::Region region;
  std::vector<ir::ValueId> values;  // for each of region.values
  std::vector<ir::NodeId> nodes;    // for each of region.nodes
  const ir::Graph* graph = nullptr;
  std::uint32_t order = 0;  // place among the regions and control nodes of its graph
};

// Makes regions of one graph, which must not change meanwhile: what it costs to look at the whole of it is paid once.
class RegionMaker {
 public:
  explicit RegionMaker(const ir::Graph& graph);
  // Makes a region, as make_region() does.
  [[nodiscard]] BoundRegion make(std::span<const ir::NodeId> nodes, std::string name);

 private:
  codegen::ValueId id_of(ir::ValueId v, BoundRegion& out);
  void add(ir::NodeId id, BoundRegion& out);

  const ir::Graph& graph_;
  std::vector<ir::NodeId> producer_;
  std::vector<std::vector<ir::NodeId>> readers_;
  std::vector<bool> leaves_;  // values that the graph gives out
  // State of the region that is being made.
  std::vector<codegen::ValueId> ids_;
  std::vector<bool> inside_;
};

// A region of `nodes` (indexes into graph.nodes, ascending). Types are known but for the length of
// dims, whose names are symbols of the region in the order of its values. Inputs are what is read and not
// computed inside, constants aside; outputs are what is computed inside and read outside or given out by the graph.
[[nodiscard]] BoundRegion make_region(const ir::Graph& graph, std::span<const ir::NodeId> nodes, std::string name);
// All nodes of the graph.
[[nodiscard]] BoundRegion make_region(const ir::Graph& graph);

}  // namespace byoc::plugin
