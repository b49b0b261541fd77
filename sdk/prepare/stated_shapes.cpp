#include "sdk/prepare/stated_shapes.hpp"

#include <algorithm>

#include "sdk/ir/control.hpp"
#include "sdk/ir/operators.hpp"

namespace byoc {
namespace {

using Dims = std::vector<ir::Dim>;

bool is_known(const std::optional<Dims>& dims) {
  return dims && std::none_of(dims->begin(), dims->end(), [](ir::Dim d) { return ir::is_open(d); });
}

// Whether what another operand is broadcast with has to have every dim of the result itself.
bool adds_nothing(const Dims& other, const Dims& result) {
  if (other.size() > result.size()) return false;
  const std::size_t missing = result.size() - other.size();
  for (std::size_t d = missing; d < result.size(); ++d)
    if (other[d - missing] != 1 || result[d] == 1) return false;
  return true;
}

class Taking {
 public:
  explicit Taking(ir::Graph& graph) : graph_(graph), is_computed_(graph.values.size(), false) {
    for (const ir::Node& node : graph.nodes)
      for (const ir::ValueId v : node.outputs)
        if (v != ir::kNoValue) is_computed_[v] = true;
  }

  bool run() {
    for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
      for (const auto& body : ir::bodies(*node)) changed_ = Taking(*body).run() || changed_;
      if (ir::has_trait(*node, ir::kElementwise) && node->outputs.size() == 1) take(*node);
    }
    return changed_;
  }

 private:
  ir::TensorType& type(ir::ValueId v) { return graph_.values[v].type; }

  void take(const ir::Node& node) {
    const ir::ValueId y = node.outputs[0];
    if (y == ir::kNoValue || !type(y).is_tensor() || !is_known(type(y).dims)) return;
    const Dims& result = *type(y).dims;
    ir::ValueId unknown = ir::kNoValue;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ir::ValueId v = node.inputs[i];
      if (v == ir::kNoValue || (i > 0 && node.op == "CastLike")) continue;
      if (!is_known(type(v).dims)) {
        if (unknown != ir::kNoValue && unknown != v) return;
        unknown = v;
      } else if (!adds_nothing(*type(v).dims, result)) {
        return;
      }
    }
    // What the user gives has the length that he gives.
    if (unknown == ir::kNoValue || !is_computed_[unknown] || !type(unknown).is_tensor() || type(unknown).dims) return;
    type(unknown).dims = result;
    changed_ = true;
  }

  ir::Graph& graph_;
  std::vector<bool> is_computed_;
  bool changed_ = false;
};

}  // namespace

bool take_stated_shapes(ir::Graph& graph) { return Taking(graph).run(); }

}  // namespace byoc
