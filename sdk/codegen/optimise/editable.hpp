// A graph while rewrites change it: what may be changed, who reads what, and what became of what is gone.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "sdk/codegen/optimise/optimise.hpp"

namespace byoc::optimise {

inline constexpr std::size_t kFixed = SIZE_MAX;

class Editable {
 public:
  // `region`: for each node its region, kFixed where it must stay as it is.
  Editable(const ir::Graph& graph, std::vector<std::size_t> region);

  [[nodiscard]] const ir::Graph& graph() const { return graph_; }
  [[nodiscard]] const ir::Node& node(ir::NodeId n) const { return graph_.nodes[n]; }
  [[nodiscard]] const ir::TensorType& type(ir::ValueId v) const { return graph_.values[v].type; }
  [[nodiscard]] std::size_t region(ir::NodeId n) const { return region_[n]; }
  [[nodiscard]] bool may_change(ir::NodeId n) const { return region_[n] != kFixed && !moved.absorbed.contains(n); }

  // The node that computes it, or ir::kNoNode; the nodes that read it, each once.
  [[nodiscard]] ir::NodeId producer(ir::ValueId v) const { return producer_[v]; }
  [[nodiscard]] const std::vector<ir::NodeId>& readers(ir::ValueId v) const { return readers_[v]; }
  // True if the value is computed and read only by nodes of one region that may change.
  [[nodiscard]] bool is_inside(ir::ValueId v) const;
  // True if `reader`'s operand `input` is the only use of the value.
  [[nodiscard]] bool is_read_once(ir::ValueId v, ir::NodeId reader, std::size_t input) const;

  // The node to be changed in its attributes.
  ir::Node& change(ir::NodeId n);
  void set_input(ir::NodeId n, std::size_t input, ir::ValueId v);
  // The node computes this value now, which was another's.
  void set_output(ir::NodeId n, std::size_t output, ir::ValueId v);
  void set_type(ir::ValueId v, ir::TensorType type) { graph_.values[v].type = std::move(type); }
  ir::ValueId add_constant(ir::TensorType type, std::vector<std::byte> bytes);
  // The node reads and computes nothing any more: `into` does its work.
  void absorb(ir::NodeId n, ir::NodeId into);

  [[nodiscard]] ir::Graph take() && { return std::move(graph_); }

  std::set<ir::NodeId> changed;
  Moved moved;

 private:
  void forget_reader(ir::ValueId v, ir::NodeId n);

  ir::Graph graph_;
  std::vector<std::size_t> region_;
  std::vector<ir::NodeId> producer_;
  std::vector<std::vector<ir::NodeId>> readers_;
  std::vector<bool> leaves_;                               // of the original's values
  std::map<ir::NodeId, std::vector<ir::NodeId>> work_of_;  // nodes whose work a node does
};

}  // namespace byoc::optimise
