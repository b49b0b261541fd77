// Elements of small tensors that follow from constants and shapes, while a graph is read.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "sdk/model/ir/graph.hpp"

namespace byoc::shapes {

// The graph is not changed: whether a node is folded, others decide.
class KnownElements {
 public:
  explicit KnownElements(const ir::Graph& graph) : graph_(graph) {}

  // The bytes of a constant or of what compute() has found; null where they are not known, or many.
  [[nodiscard]] const Blob* bytes(ir::ValueId v) const;
  // Computes the results of a node of the graph where its operands, or their shapes, say them. `type` gives the types
  // of its values, as far as they are known.
  using TypeOf = std::function<const ir::TensorType&(ir::ValueId)>;
  void compute(const ir::Node& node, const TypeOf& type);

 private:
  const ir::Graph& graph_;
  std::map<ir::ValueId, Blob> found_;
};

}  // namespace byoc::shapes
