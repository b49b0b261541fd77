// Types of values while a graph is read: those that the model states, and those that follow from the nodes read so far.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "sdk/model/ir/graph.hpp"
#include "sdk/model/shapes/known_elements.hpp"

namespace byoc::onnx_import {

// Nodes are looked at when somebody asks for a type, in the order in which they were added; most models never ask.
class ValueTypes {
 public:
  explicit ValueTypes(const ir::Graph& graph) : graph_(graph), elements_(graph) {}

  // The type as far as it is known: dtype undefined, dims absent, or open dims where it is not. An open dim is a symbol
  // of the graph, or shapes::kUnknown.
  [[nodiscard]] const ir::TensorType& of(ir::ValueId v);
  // States a type that follows from around the graph, or from the bodies of a node. Its open dims are of another graph.
  void set(ir::ValueId v, ir::TensorType type);

 private:
  void add(const ir::Node& node);
  // The results of `node` for operands of these types; empty where the operator has none for them.
  std::vector<ir::TensorType> infer(const ir::Node& node, const std::vector<ir::TensorType>& operands) const;
  // The types that results have in common for all ranks that operands without one may have.
  std::vector<ir::TensorType> infer_any_rank(const ir::Node& node, std::vector<ir::TensorType> operands,
                                             std::size_t first) const;
  [[nodiscard]] const ir::TensorType& known(ir::ValueId v) const;

  const ir::Graph& graph_;
  std::size_t next_ = 0;                         // node that was not looked at yet
  std::map<ir::ValueId, ir::TensorType> types_;  // beside the stated ones
  shapes::KnownElements elements_;
};

// The type that two types have in common: undefined, absent or kUnknown where they differ.
[[nodiscard]] ir::TensorType common_type(const ir::TensorType& a, const ir::TensorType& b);

}  // namespace byoc::onnx_import
