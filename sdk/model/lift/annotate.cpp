// Moves quantisation from operands to tensors: scale and zero point of QuantizeLinear, DequantizeLinear and the QLinear
// operators become the quantisation of the integer values they write and read.
//
// One value has one quantisation. Values that the same integers flow through (a Reshape of integers, say) form a
// class. An operator that would give a class a second quantisation stays literal, as does a class of which an operator
// reads plain integers.
#include <numeric>

#include "sdk/model/lift/qlinear.hpp"
#include "sdk/model/lift/rewriter.hpp"

namespace byoc::lift {
namespace {

bool quantises(const ir::Node& n) { return n.is("", "QuantizeLinear"); }
bool dequantises(const ir::Node& n) { return n.is("", "DequantizeLinear"); }

class Classes {
 public:
  explicit Classes(const Rewriter& r)
      : r_(r), graph_(r.graph), parent_(graph_.values.size()), state_(graph_.values.size()) {
    const ir::Graph& graph = graph_;
    std::iota(parent_.begin(), parent_.end(), ir::ValueId{0});
    for (const ir::Node& n : graph.nodes) join_moved(n);
    for (const ir::Node& n : graph.nodes) mark_literal(n);
    for (ir::ValueId v = 0; v < graph.values.size(); ++v)
      if (graph.values[v].type.quantisation) (void)assign(v, *graph.values[v].type.quantisation);
  }

  // Gives the class of `v` this quantisation; false if it has another or must stay literal.
  bool assign(ir::ValueId v, const Quantisation& q) {
    if (q.per_axis() || !is_quantised_type(graph_.values[v].type.dtype)) return false;
    State& s = state_[find(v)];
    if (s.literal || (s.quantisation && *s.quantisation != q)) return false;
    s.quantisation = q;
    return true;
  }
  [[nodiscard]] bool may_have(ir::ValueId v, const Quantisation& q) {
    if (q.per_axis() || !is_quantised_type(graph_.values[v].type.dtype)) return false;
    const State& s = state_[find(v)];
    return !s.literal && (!s.quantisation || *s.quantisation == q);
  }
  [[nodiscard]] const std::optional<Quantisation>& of(ir::ValueId v) { return state_[find(v)].quantisation; }

 private:
  struct State {
    bool literal = false;
    std::optional<Quantisation> quantisation;
  };

  ir::ValueId find(ir::ValueId v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }

  void join_moved(const ir::Node& n) {
    for (std::size_t i = 0; i < r_.moved(n); ++i) {
      if (!is_quantised_type(graph_.values[n.inputs[i]].type.dtype)) return;
      for (ir::ValueId out : n.outputs)
        if (out != ir::kNoValue) parent_[find(n.inputs[i])] = find(out);
    }
  }

  void mark_literal(const ir::Node& n) {
    if (quantises(n) || dequantises(n) || is_qlinear(n) || n.domain == "byoc") return;
    const std::size_t moved = r_.moved(n);
    for (std::size_t i = moved; i < n.inputs.size(); ++i)
      if (n.inputs[i] != ir::kNoValue) state_[find(n.inputs[i])].literal = true;
    if (moved != 0) return;
    for (ir::ValueId v : n.outputs)
      if (v != ir::kNoValue) state_[find(v)].literal = true;
  }

  const Rewriter& r_;
  const ir::Graph& graph_;
  std::vector<ir::ValueId> parent_;
  std::vector<State> state_;
};

ir::Node byoc_node(const ir::Node& like, std::string_view op, ir::ValueId input) {
  ir::Node node;
  node.domain = "byoc";
  node.op = op;
  node.stand_for(like);
  node.inputs = {input};
  node.outputs = like.outputs;
  return node;
}

std::optional<Quantisation> parameters_of(const ir::Graph& graph, const ir::Node& n, ir::ValueId quantised) {
  if (n.integer("block_size", 0) != 0) return std::nullopt;
  return read_parameters(graph, graph.values[quantised].type, n.inputs[1], n.input(2), n.integer("axis", 1));
}

void annotate_node(Rewriter& r, Classes& classes, ir::Node& n) {
  ir::Graph& graph = r.graph;
  if (r.stays(n)) return;
  if (quantises(n)) {
    const auto q = parameters_of(graph, n, n.outputs[0]);
    if (q && graph.values[n.inputs[0]].type.dtype == DType::f32 && classes.assign(n.outputs[0], *q))
      n = byoc_node(n, "Quantize", n.inputs[0]);
  } else if (dequantises(n)) {
    const ir::ValueId x = n.inputs[0];
    const auto q = parameters_of(graph, n, x);
    if (!q) return;
    // A constant may be read with several quantisations, and per axis.
    if (graph.is_constant(x) && is_weight_type(graph.values[x].type.dtype))
      n = byoc_node(n, "Dequantize", r.constant_with(x, *q));
    else if (!graph.is_constant(x) && classes.assign(x, *q))
      n = byoc_node(n, "Dequantize", x);
  } else if (auto qlinear = read_qlinear(r, n)) {
    if (classes.may_have(qlinear->x, qlinear->x_quantisation) && classes.assign(qlinear->y, qlinear->y_quantisation) &&
        classes.assign(qlinear->x, qlinear->x_quantisation))
      n = std::move(qlinear->lifted);
  }
}

}  // namespace

void annotate(ir::Graph& graph, const SourceNodes& literal) {
  Rewriter r(graph, literal);
  Classes classes(r);
  const std::size_t values = graph.values.size();
  for (ir::Node& n : graph.nodes) annotate_node(r, classes, n);
  for (ir::ValueId v = 0; v < values; ++v)
    if (!graph.is_constant(v) && classes.of(v)) graph.values[v].type.quantisation = classes.of(v);
}

}  // namespace byoc::lift
