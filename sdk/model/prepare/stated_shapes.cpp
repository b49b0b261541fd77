#include "sdk/model/prepare/stated_shapes.hpp"

#include <algorithm>
#include <set>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc {
namespace {

using Dims = std::vector<ir::Dim>;

bool is_known(const std::optional<Dims>& dims) {
  return dims && std::none_of(dims->begin(), dims->end(), [](ir::Dim d) { return ir::is_open(d); });
}

// True if an operand that is broadcast with `other` must have every dim of the result itself.
bool adds_nothing(const Dims& other, const Dims& result) {
  if (other.size() > result.size()) return false;
  const std::size_t missing = result.size() - other.size();
  for (std::size_t d = missing; d < result.size(); ++d)
    if (other[d - missing] != 1 || result[d] == 1) return false;
  return true;
}

class Taking {
 public:
  explicit Taking(ir::Graph& graph)
      : graph_(graph), alike_(graph.values.size()), is_computed_(graph.values.size(), false) {
    for (ir::ValueId v = 0; v < graph.values.size(); ++v) alike_[v] = v;
    for (const ir::Node& node : graph.nodes) {
      for (const ir::ValueId v : node.outputs)
        if (v != ir::kNoValue) is_computed_[v] = true;
      if (is_elementwise(node) && !is_known(type(node.outputs[0]).dims)) follow(node);
    }
  }

  bool run() {
    for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
      for (const auto& body : ir::bodies(*node)) changed_ = Taking(*body).run() || changed_;
      if (is_elementwise(*node)) take(*node);
    }
    return changed_;
  }

 private:
  ir::TensorType& type(ir::ValueId v) { return graph_.values[v].type; }

  static bool is_elementwise(const ir::Node& node) {
    return ir::has_trait(node, ir::kElementwise) && node.outputs.size() == 1 && node.outputs[0] != ir::kNoValue;
  }

  // Calls `each` with the operands that the result is broadcast from.
  template <class F>
  static void operands(const ir::Node& node, F&& each) {
    const std::size_t count = node.op == "CastLike" ? 1 : node.inputs.size();
    for (std::size_t i = 0; i < count; ++i)
      if (node.inputs[i] != ir::kNoValue) each(node.inputs[i]);
  }

  // The result has the shape of the operands that are not scalars, where those are alike.
  void follow(const ir::Node& node) {
    std::set<ir::ValueId> shapes;
    operands(node, [&](ir::ValueId v) {
      if (!is_known(type(v).dims) || !type(v).dims->empty()) shapes.insert(alike_[v]);
    });
    if (shapes.size() == 1) alike_[node.outputs[0]] = *shapes.begin();
  }

  void take(const ir::Node& node) {
    const ir::TensorType& stated = type(node.outputs[0]);
    if (!stated.is_tensor() || !is_known(stated.dims)) return;
    const Dims result = *stated.dims;
    std::set<ir::ValueId> unknown, shapes;
    bool decided = true;
    operands(node, [&](ir::ValueId v) {
      if (is_known(type(v).dims)) {
        decided = decided && adds_nothing(*type(v).dims, result);
      } else {
        unknown.insert(v);
        shapes.insert(alike_[v]);
      }
    });
    if (!decided || shapes.size() != 1) return;
    for (const ir::ValueId v : unknown) {
      // The user gives inputs in any length.
      if (!is_computed_[v] || !type(v).is_tensor() || type(v).dims) continue;
      type(v).dims = result;
      changed_ = true;
    }
  }

  ir::Graph& graph_;
  std::vector<ir::ValueId> alike_;  // of each value, one that has its shape
  std::vector<bool> is_computed_;
  bool changed_ = false;
};

}  // namespace

bool take_stated_shapes(ir::Graph& graph) { return Taking(graph).run(); }

}  // namespace byoc
