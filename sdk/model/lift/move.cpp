// Dequantize behind, Quantize before the operators that only move or select elements.
#include <algorithm>
#include <iterator>
#include <map>

#include "sdk/model/ir/rewrite.hpp"
#include "sdk/model/lift/rewriter.hpp"

namespace byoc::lift {
namespace {

ir::Node node_between(const ir::Node& like, std::string_view op, ir::ValueId from, ir::ValueId to) {
  ir::Node node;
  node.domain = "byoc";
  node.op = op;
  node.stand_for(like);
  node.inputs = {from};
  node.outputs = {to};
  return node;
}

// A zero that was padded with is the zero point of what is quantised: the default of a quantised Pad.
void drop_pad_value(ir::Node& node) {
  if (node.op != "Pad" || node.input(2) == ir::kNoValue) return;
  node.inputs[2] = ir::kNoValue;
  while (node.inputs.back() == ir::kNoValue) node.inputs.pop_back();
}

class Sinker {
 public:
  Sinker(ir::Graph& graph, const SourceNodes& literal)
      : r_(graph, literal), source_(graph.values.size(), ir::kNoValue) {}

  void run() {
    std::vector<ir::Node> out;
    for (const ir::Node& node : r_.graph.nodes) {
      if (node.is("byoc", "Dequantize")) source_[node.outputs[0]] = node.inputs[0];
      if (!sink(node, out)) out.push_back(node);
    }
    r_.graph.nodes = std::move(out);
  }

 private:
  ir::ValueId source(ir::ValueId v) const { return v < source_.size() ? source_[v] : ir::kNoValue; }

  // The quantisation of all moved inputs, as it is behind `node`.
  std::optional<Quantisation> quantisation_behind(const ir::Node& node, std::size_t moved) const {
    std::optional<Quantisation> common;
    for (std::size_t i = 0; i < moved; ++i) {
      const ir::ValueId q = source(node.inputs[i]);
      if (q == ir::kNoValue || !r_.type(q).quantisation) return std::nullopt;
      if (common && (*common != *r_.type(q).quantisation || r_.type(q).dtype != r_.type(source(node.inputs[0])).dtype))
        return std::nullopt;
      common = r_.type(q).quantisation;
    }
    if (common && common->per_axis()) return turned(node, *common);
    return common;
  }

  // Per-axis quantisation of weights survives a Transpose.
  static std::optional<Quantisation> turned(const ir::Node& node, Quantisation q) {
    const auto* perm = node.find<std::vector<std::int64_t>>("perm");
    if (node.op != "Transpose" || perm == nullptr) return std::nullopt;
    const auto at = std::find(perm->begin(), perm->end(), q.axis);
    if (at == perm->end()) return std::nullopt;
    q.axis = static_cast<std::int32_t>(at - perm->begin());
    return q;
  }

  bool sink(const ir::Node& node, std::vector<ir::Node>& out) {
    const std::size_t moved = r_.moved(node);
    if (moved == 0) return false;
    const auto q = quantisation_behind(node, moved);
    if (!q) return false;
    const DType dtype = whole_bytes(r_.type(source(node.inputs[0])).dtype);
    ir::Node on_integers = node;
    drop_pad_value(on_integers);
    for (std::size_t i = 0; i < moved; ++i) on_integers.inputs[i] = source(node.inputs[i]);
    std::vector<ir::Node> behind;
    for (ir::ValueId& v : on_integers.outputs) {
      if (v == ir::kNoValue) continue;
      const ir::ValueId real = v;
      v = r_.quantised_like(real, dtype, *q);
      behind.push_back(node_between(node, "Dequantize", v, real));
      source_[real] = v;
    }
    out.push_back(std::move(on_integers));
    std::move(behind.begin(), behind.end(), std::back_inserter(out));
    return true;
  }

  Rewriter r_;
  std::vector<ir::ValueId> source_;  // of a value that Dequantize computes
};

class Hoister {
 public:
  Hoister(ir::Graph& graph, const SourceNodes& literal) : r_(graph, literal) {}

  void run() {
    for (const ir::Node& node : r_.graph.nodes) {
      if (node.is("byoc", "Quantize") && r_.per_tensor(node.outputs[0]) != nullptr)
        quantise(node, node.inputs[0], node.outputs[0], 0);
      else
        out_.push_back(node);
    }
    r_.graph.nodes = std::move(out_);
    for (const auto& [undone, original] : same_) replace(undone, original);
  }

 private:
  // Longer chains keep their Quantize where it is.
  static constexpr int kLongestChain = 64;

  // Emits what computes `y`, the integers of the real `f`, and gives the value that holds them: `y`, or the integers
  // that `f` was dequantised from.
  ir::ValueId quantise(const ir::Node& like, ir::ValueId f, ir::ValueId y, int depth) {
    const ir::ValueId x = same(r_.dequantised_from(f));
    if (x != ir::kNoValue && r_.type(x).dtype == r_.type(y).dtype &&
        r_.type(x).quantisation == r_.type(y).quantisation) {
      if (depth == 0) same_.emplace(y, x);
      return x;
    }
    const ir::Node* mover = r_.producer(f);
    const std::size_t moved = mover != nullptr ? r_.moved(*mover) : 0;
    if (moved == 0 || r_.reads(f) != 1 || mover->outputs.size() != 1 || depth == kLongestChain ||
        r_.type(f).dtype != DType::f32) {
      out_.push_back(node_between(like, "Quantize", f, y));
      return y;
    }
    ir::Node on_integers = *mover;
    drop_pad_value(on_integers);
    for (std::size_t i = 0; i < moved; ++i) {
      const ir::ValueId part = r_.quantised_like(mover->inputs[i], r_.type(y).dtype, *r_.type(y).quantisation);
      on_integers.inputs[i] = quantise(like, mover->inputs[i], part, depth + 1);
    }
    on_integers.outputs = {y};
    out_.push_back(std::move(on_integers));
    return y;
  }

  ir::ValueId same(ir::ValueId v) const {
    const auto it = same_.find(v);
    return it == same_.end() ? v : it->second;
  }

  void replace(ir::ValueId from, ir::ValueId to) {
    ir::Graph& graph = r_.graph;
    const auto is_in = [](const std::vector<ir::ValueId>& list, ir::ValueId v) {
      return std::find(list.begin(), list.end(), v) != list.end();
    };
    // A graph output keeps its name where the value it now is has none to lose.
    if (is_in(graph.outputs, from) && !is_in(graph.outputs, to) && !is_in(graph.inputs, to))
      graph.values[to].name = graph.values[from].name;
    ir::replace_uses(graph, from, to);
  }

  Rewriter r_;
  std::vector<ir::Node> out_;
  std::map<ir::ValueId, ir::ValueId> same_;  // from what a Quantize gave to what it undid
};

}  // namespace

void sink_dequantise(ir::Graph& graph, const SourceNodes& literal) { Sinker(graph, literal).run(); }

void hoist_quantise(ir::Graph& graph, const SourceNodes& literal) { Hoister(graph, literal).run(); }

}  // namespace byoc::lift
