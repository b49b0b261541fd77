#include "sdk/model/prepare/widen_moves.hpp"

#include <utility>
#include <vector>

#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc {
namespace {

bool moves_elements(const ir::Node& node) {
  return (ir::has_trait(node, ir::kMoves) && !ir::has_trait(node, ir::kAnyElements)) || node.is("", "Pad");
}

// The conversions that lead to bytes, and back in the reverse order: a float's bits are an integer's first.
struct Conversion {
  const char* op;
  DType narrow, wide;
};
std::vector<Conversion> conversions(DType t) {
  if (bit_width(t) == 8) return {{"BitCast", t, DType::u8}};
  if (element_row(t).kind == ElementKind::real) return {{"BitCast", t, DType::u4}, {"Cast", DType::u4, DType::u8}};
  return {{"Cast", t, element_row(t).kind == ElementKind::whole ? DType::i8 : DType::u8}};
}

class Widener {
 public:
  explicit Widener(ir::Graph& graph) : graph_(graph) {}

  bool run() {
    bool changed = false;
    std::vector<ir::Node> old = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (ir::Node& node : old) {
      for (const auto& body : ir::bodies(node)) changed = widen_moves(*body) || changed;
      const ir::ValueId x = moves_elements(node) ? node.input(0) : ir::kNoValue;
      const ir::TensorType type = x == ir::kNoValue ? ir::TensorType{} : graph_.values[x].type;
      if (!type.is_tensor() || !is_small(type.dtype) || type.quantisation) {
        graph_.nodes.push_back(std::move(node));
        continue;
      }
      widen(std::move(node), type.dtype);
      changed = true;
    }
    return changed;
  }

 private:
  void widen(ir::Node node, DType type) {
    const std::vector<Conversion> steps = conversions(type);
    for (ir::ValueId& v : node.inputs) {
      if (v == ir::kNoValue || graph_.values[v].type.dtype != type) continue;
      for (const Conversion& c : steps) {
        const ir::ValueId wide = like(v, c.wide);
        convert(node, c.op, c.wide, v, wide);
        v = wide;
      }
    }
    // Results, from their bytes on; a result that nobody wants stays none.
    std::vector<std::pair<ir::ValueId, ir::ValueId>> results;
    for (ir::ValueId& v : node.outputs) {
      if (v == ir::kNoValue) continue;
      results.emplace_back(like(v, steps.back().wide), v);
      v = results.back().first;
    }
    const ir::Node moved = node;
    graph_.nodes.push_back(std::move(node));
    for (auto [from, to] : results)
      for (auto c = steps.rbegin(); c != steps.rend(); ++c) {
        const ir::ValueId next = c + 1 == steps.rend() ? to : like(to, c->narrow);
        convert(moved, c->op, c->narrow, from, next);
        from = next;
      }
  }

  ir::ValueId like(ir::ValueId v, DType dtype) {
    ir::TensorType type = graph_.values[v].type;
    type.dtype = dtype;
    ir::Value value;
    value.type = std::move(type);
    return graph_.add_value(std::move(value));
  }

  void convert(const ir::Node& at, const char* op, DType to, ir::ValueId from, ir::ValueId result) {
    ir::Node node;
    node.op = op;
    node.version = ir::find_operator("", op)->since;
    node.stand_for(at);
    node.inputs = {from};
    node.outputs = {result};
    node.attributes["to"] = ir::onnx_number(to);
    graph_.nodes.push_back(std::move(node));
  }

  ir::Graph& graph_;
};

}  // namespace

bool widen_moves(ir::Graph& graph) { return Widener(graph).run(); }

}  // namespace byoc
