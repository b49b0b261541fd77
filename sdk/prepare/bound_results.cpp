#include "sdk/prepare/bound_results.hpp"

#include <algorithm>

#include "sdk/ir/control.hpp"
#include "sdk/ir/counted.hpp"
#include "sdk/ir/operators.hpp"

namespace byoc {
namespace {

using Bound = std::optional<std::int64_t>;
using Dims = std::vector<ir::Dim>;

const Dims& dims_of(const ir::Graph& graph, const ir::Node& node, std::size_t input) {
  return *graph.values[node.inputs[input]].type.dims;
}

// Nothing where it leaves 31 bits, which is what counts have.
Bound product(const Dims& dims) {
  std::int64_t n = 1;
  for (const ir::Dim d : dims)
    if (__builtin_mul_overflow(n, d, &n) || n > 0x7fffffff) return std::nullopt;
  return n;
}

Bound most_boxes(const ir::Graph& graph, const ir::Node& node) {
  const Dims& scores = dims_of(graph, node, 1);
  if (scores.size() != 3) return std::nullopt;
  std::int64_t each = node.input(2) == ir::kNoValue ? 0 : scores[2];
  if (const auto most = ir::constant_integers(graph, node.input(2)); most && most->size() == 1)
    each = std::clamp<std::int64_t>((*most)[0], 0, each);
  return product({scores[0], scores[1], each});
}

// The most that the counted dims of the results can be, of an operator whose operands have known types.
Bound most_results(const ir::Graph& graph, const ir::Node& node) {
  const Dims& x = dims_of(graph, node, 0);
  if (node.op == "NonMaxSuppression") return most_boxes(graph, node);
  if (node.op == "NonZero") return product(x);
  const ir::CountedResults counted = ir::counted_results(node, x.size());
  if (counted.dims.empty()) return std::nullopt;
  const bool flat = node.op != "TopK" && node.find<std::int64_t>("axis") == nullptr;
  const Bound length = flat ? product(x) : product({x[counted.dims[0].second]});
  if (node.op != "Compress" || !length) return length;
  const Dims& condition = dims_of(graph, node, 1);
  return condition.size() == 1 ? std::min(*length, condition[0]) : *length;
}

bool is_counted(const ir::Graph& graph, const ir::Node& node) {
  // A constant condition tells the length.
  if (node.is("", "TopK") || node.is("", "Compress")) return !graph.is_constant(node.input(1));
  return ir::has_trait(node, ir::kRunTimeShape);
}

class Bounding {
 public:
  explicit Bounding(ir::Graph& graph) : graph_(graph), reads_(ir::consumers(graph)) {}

  bool run(bool of_model) {
    for (ir::Node& node : graph_.nodes) {
      for (const auto& body : ir::bodies(node)) changed_ = Bounding(*body).run(false) || changed_;
      if (is_counted(graph_, node) && operands_known(node)) rewrite(node, of_model);
    }
    return changed_;
  }

 private:
  [[nodiscard]] bool operands_known(const ir::Node& node) const {
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](ir::ValueId v) { return v == ir::kNoValue || graph_.values[v].type.is_static(); });
  }

  [[nodiscard]] bool is_read(ir::ValueId v) const {
    return !reads_[v].empty() ||
           std::any_of(graph_.states.begin(), graph_.states.end(), [&](const ir::State& s) { return s.next == v; });
  }

  template <class F>
  [[nodiscard]] bool each_result(const ir::Node& node, const ir::CountedResults& counted, F&& holds) const {
    return std::all_of(counted.dims.begin(), counted.dims.end(), [&](const auto& c) {
      const ir::ValueId v = c.first < node.outputs.size() ? node.outputs[c.first] : ir::kNoValue;
      return v == ir::kNoValue || holds(v);
    });
  }

  void rewrite(ir::Node& node, bool of_model) {
    const ir::CountedResults counted = ir::counted_results(node, dims_of(graph_, node, 0).size());
    if (counted.dims.empty()) return;
    const bool is_stated = each_result(node, counted, [&](ir::ValueId v) { return graph_.values[v].type.is_static(); });
    const bool only_leaves = of_model && each_result(node, counted, [&](ir::ValueId v) { return !is_read(v); });
    // The length of TopK is an operand, and a model that states it means it.
    if (is_stated && node.op == "TopK") return;
    const bool is_wanted = !each_result(node, counted, [](ir::ValueId) { return false; });
    const bool is_exact = is_stated && (!only_leaves || !is_wanted);
    const Bound most = most_results(graph_, node);
    if (!is_exact && (!only_leaves || !most)) return;
    if (!is_exact) count(node, counted, *most);
    node.domain = "byoc";
    node.version = 1;
    changed_ = true;
  }

  void count(ir::Node& node, const ir::CountedResults& counted, std::int64_t most) {
    std::string name;
    std::vector<ir::CountedDim> found;
    for (const auto& [output, dim] : counted.dims) {
      if (output >= node.outputs.size() || node.outputs[output] == ir::kNoValue) continue;
      ir::Value& value = graph_.values[node.outputs[output]];
      (*value.type.dims)[dim] = most;
      if (name.empty()) name = value.name;
      for (std::uint32_t i = 0; i < graph_.outputs.size(); ++i)
        if (graph_.outputs[i] == node.outputs[output]) found.push_back({i, static_cast<std::uint32_t>(dim), 0});
    }
    ir::Value value;
    value.name = (name.empty() ? "output" : name) + "_count";
    value.type.dtype = DType::i32;
    value.type.dims.emplace();
    node.outputs.resize(counted.count + 1, ir::kNoValue);
    node.outputs[counted.count] = graph_.add_value(std::move(value));
    for (ir::CountedDim& c : found) {
      c.count = static_cast<std::uint32_t>(graph_.outputs.size());
      graph_.counted.push_back(c);
    }
    graph_.outputs.push_back(node.outputs[counted.count]);
  }

  ir::Graph& graph_;
  std::vector<std::vector<ir::NodeId>> reads_;
  bool changed_ = false;
};

}  // namespace

bool bound_results(ir::Graph& graph) { return Bounding(graph).run(true); }

}  // namespace byoc
