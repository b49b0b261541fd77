// The graph with nodes drawn together: groups, and later regions, that must not wait for each other in a circle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sdk/ir/graph.hpp"

namespace byoc {

class Quotient {
 public:
  explicit Quotient(const ir::Graph& graph);

  // Would the whole stay free of cycles if `nodes` were one? Each of them stands alone so far.
  [[nodiscard]] bool may_join(std::span<const ir::NodeId> nodes) const;
  // Makes them one. Each of them stands alone so far.
  void join(std::span<const ir::NodeId> nodes);
  [[nodiscard]] std::uint32_t part_of(ir::NodeId n) const { return part_[n]; }
  [[nodiscard]] const std::vector<ir::NodeId>& members(std::uint32_t part) const { return members_[part]; }
  [[nodiscard]] const std::vector<ir::NodeId>& readers(ir::NodeId n) const { return successors_[n]; }

  // Would the whole stay free of cycles if the parts of an edge's two ends were one?
  [[nodiscard]] bool may_merge(std::uint32_t from, std::uint32_t to) const;
  void merge(std::uint32_t into, std::uint32_t other);

  // The parts in an order in which they can run, that of their first nodes where there is a choice.
  [[nodiscard]] std::vector<std::uint32_t> order() const;

 private:
  // Is there a way from `open` to a part of which `is_target` holds? Whoever reaches a node of a part reaches all of
  // it.
  template <class F>
  [[nodiscard]] bool reaches(std::vector<ir::NodeId> open, const F& is_target) const;

  std::vector<std::vector<ir::NodeId>> successors_;  // of each node, without repetition
  std::vector<std::uint32_t> part_;
  std::vector<std::vector<ir::NodeId>> members_;  // ascending
};

}  // namespace byoc
