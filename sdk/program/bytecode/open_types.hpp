// The types of a node's results when its operands are known only at run time. Internal to this folder.
#pragma once

#include <span>
#include <vector>

#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::bytecode {

// The types of a node's results, by the shape rule of its operator.
class OpenTypes {
 public:
  // The graph outlives this.
  OpenTypes(const ir::Graph& graph, const ir::Node& node);

  // `inputs` has one entry for each of the node's, null where none is given; of one that the graph has a static type
  // for it may be null, too. The results are static. Errors: operands of other types than the graph states, lengths
  // that differ where the graph gives them one name, those of the rule, a type that depends on more than it is given.
  Result<std::vector<ir::TensorType>> infer(std::span<const evaluate::Tensor* const> inputs, Diagnostics& diags);
  // The result of the last infer(): the node with the attributes that its rule worked out, in a graph with these types.
  [[nodiscard]] const ir::Graph& graph() const { return graph_; }

 private:
  Result<void> check(std::span<const evaluate::Tensor* const> inputs, Diagnostics& diags) const;

  const ir::Graph& stated_;
  const ir::Node& node_;
  ir::Graph graph_;  // of the node alone
};

}  // namespace byoc::bytecode
