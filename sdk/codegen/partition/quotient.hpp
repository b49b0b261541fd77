// The graph with nodes drawn together: groups, and later regions, that must not wait for each other in a circle.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sdk/model/ir/graph.hpp"

namespace byoc {

class Quotient {
 public:
  explicit Quotient(const ir::Graph& graph);

  // Makes one part of `nodes` and of what they are drawn together with already. False, and nothing is changed: parts
  // would wait for each other in a circle.
  bool try_join(std::span<const ir::NodeId> nodes);
  // As try_join(), for two parts.
  bool try_merge(std::uint32_t a, std::uint32_t b);

  [[nodiscard]] std::uint32_t part_of(ir::NodeId n) const { return part_[n]; }
  [[nodiscard]] std::size_t size(std::uint32_t part) const { return parts_[part].members.size(); }
  // Ascending.
  [[nodiscard]] const std::vector<ir::NodeId>& members(std::uint32_t part) const;
  [[nodiscard]] const std::vector<ir::NodeId>& readers(ir::NodeId n) const { return readers_[n]; }

  // The parts in an order in which they can run, that of their first nodes where there is a choice.
  [[nodiscard]] std::vector<std::uint32_t> order() const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  enum Way : std::uint8_t { forward, backward };

  // Parts stand in a list in an order in which they can run, with labels that ascend along it: what leads from one part
  // to another is between the two. That order is kept up as parts become one (after Pearce and Kelly, "A dynamic
  // topological sort algorithm for directed acyclic graphs", 2007), and a search goes no further than it has to.
  struct Part {
    mutable std::vector<ir::NodeId> members;  // none: it went into another
    mutable bool sorted = true;
    std::array<std::vector<ir::NodeId>, 2> edges;  // by way, to nodes of other parts, and to some of its own
    std::array<std::uint32_t, 2> seen{};           // by way, the last search that came here
    std::uint32_t wanted = 0;                      // the last one that looked for a circle through it
    std::uint64_t label = 0;
    std::uint32_t previous = kNone, next = kNone;
  };
  class Search;

  bool contract(std::span<const std::uint32_t> parts);
  std::uint32_t unite(std::span<const std::uint32_t> parts, std::uint32_t place);
  void take_out(std::uint32_t part);
  void put_in(std::uint32_t part, std::uint32_t previous, std::uint32_t next);
  void move_beside(std::vector<std::uint32_t> parts, std::uint32_t place, Way side);
  void label_all();

  std::vector<std::vector<ir::NodeId>> readers_;  // of each node, without repetition
  std::vector<std::uint32_t> part_;
  std::vector<Part> parts_;
  std::uint32_t first_ = kNone;
  std::uint32_t searches_ = 0;
};

}  // namespace byoc
