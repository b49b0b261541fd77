#include "sdk/model/prepare/bound_results.hpp"

#include <algorithm>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/counted.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc {
namespace {

using Bound = std::optional<std::int64_t>;
using Dims = std::vector<ir::Dim>;

const Dims& dims_of(const ir::Graph& graph, const ir::Node& node, std::size_t input) {
  return *graph.values[node.inputs[input]].type.dims;
}

// Nullopt if the product exceeds 31 bits, which is the limit for counts.
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

// A dim of a value.
struct Place {
  ir::ValueId value = ir::kNoValue;
  std::size_t dim = 0;
};

using Where = std::optional<std::size_t>;

Where where_it_was(const ir::Graph&, const ir::Node&, std::size_t dim) { return dim; }

Where where_cast(const ir::Graph& graph, const ir::Node& node, std::size_t dim) {
  const DType to = graph.values[node.outputs[0]].type.dtype;
  if (to == DType::undefined || to == DType::string) return std::nullopt;
  // Some floats of few bits have no zero.
  return element_row(to).kind == ElementKind::real && bit_width(to) < 16 ? std::nullopt : Where(dim);
}

Where where_turned(const ir::Graph& graph, const ir::Node& node, std::size_t dim) {
  const auto* perm = node.find<std::vector<std::int64_t>>("perm");
  if (perm == nullptr) return dims_of(graph, node, 0).size() - 1 - dim;
  const auto at = std::find(perm->begin(), perm->end(), static_cast<std::int64_t>(dim));
  return at == perm->end() ? std::nullopt : Where(static_cast<std::size_t>(at - perm->begin()));
}

Where where_gathered(const ir::Graph& graph, const ir::Node& node, std::size_t dim) {
  const auto* given = node.find<std::int64_t>("axis");
  const auto rank = static_cast<std::int64_t>(dims_of(graph, node, 0).size());
  std::int64_t axis = given == nullptr ? 0 : *given;
  if (axis < 0) axis += rank;
  const auto own = static_cast<std::int64_t>(dim);
  const ir::TensorType& indices = graph.values[node.inputs[1]].type;
  if (axis == own || !indices.dims) return std::nullopt;
  return own < axis ? dim : dim + indices.dims->size() - 1;
}

Where where_squeezed(const ir::Graph& graph, const ir::Node& node, std::size_t dim) {
  const auto axes = ir::constant_integers(graph, node.input(1));
  if (!axes) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(dims_of(graph, node, 0).size());
  std::size_t before = 0;
  for (const std::int64_t a : *axes) {
    const std::int64_t axis = a < 0 ? a + rank : a;
    if (axis == static_cast<std::int64_t>(dim)) return std::nullopt;
    before += axis < static_cast<std::int64_t>(dim) ? 1 : 0;
  }
  return dim - before;
}

// Operators whose result has a dim of their first operand as it is, with zeros where that has zeros, and where the dim
// is there.
struct Carrier {
  std::string_view op;
  Where (*where)(const ir::Graph&, const ir::Node&, std::size_t dim);
};
constexpr Carrier kCarriers[] = {{"Abs", where_it_was},       {"Cast", where_cast},       {"Ceil", where_it_was},
                                 {"Floor", where_it_was},     {"Gather", where_gathered}, {"Identity", where_it_was},
                                 {"Relu", where_it_was},      {"Round", where_it_was},    {"Sign", where_it_was},
                                 {"Squeeze", where_squeezed}, {"Transpose", where_turned}};

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

  [[nodiscard]] bool is_read(ir::ValueId v) const { return !reads_[v].empty() || is_next(v); }

  // The place in the result of a node that reads `from`, if everything else about it is known.
  [[nodiscard]] std::optional<Place> carried_by(const ir::Node& node, const Place& from) const {
    const auto* row =
        std::find_if(std::begin(kCarriers), std::end(kCarriers), [&](const Carrier& c) { return node.is("", c.op); });
    if (row == std::end(kCarriers) || node.outputs.size() != 1 || node.inputs[0] != from.value ||
        std::count(node.inputs.begin(), node.inputs.end(), from.value) != 1)
      return std::nullopt;
    const ir::TensorType& type = graph_.values[node.outputs[0]].type;
    const Where to = row->where(graph_, node, from.dim);
    if (!to || !type.dims || *to >= type.dims->size() || type.quantisation) return std::nullopt;
    for (std::size_t d = 0; d < type.dims->size(); ++d)
      if (d != *to && ir::is_open((*type.dims)[d])) return std::nullopt;
    return Place{node.outputs[0], *to};
  }

  // A counted dim, and where it is in what is made of its value; nothing where something reads that and does not carry
  // it.
  [[nodiscard]] std::optional<std::vector<Place>> carried(const Place& from) const {
    std::vector<Place> out{from};
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Place at = out[i];
      if (is_next(at.value)) return std::nullopt;
      for (const ir::NodeId n : reads_[at.value]) {
        const auto to = carried_by(graph_.nodes[n], at);
        if (!to) return std::nullopt;
        out.push_back(*to);
      }
    }
    return out;
  }

  [[nodiscard]] bool is_next(ir::ValueId v) const {
    return std::any_of(graph_.states.begin(), graph_.states.end(), [&](const ir::State& s) { return s.next == v; });
  }

  template <class F>
  [[nodiscard]] bool each_result(const ir::Node& node, const ir::CountedResults& counted, F&& holds) const {
    return std::all_of(counted.dims.begin(), counted.dims.end(), [&](const auto& c) {
      const ir::ValueId v = c.first < node.outputs.size() ? node.outputs[c.first] : ir::kNoValue;
      return v == ir::kNoValue || holds(Place{v, c.second});
    });
  }

  void rewrite(ir::Node& node, bool of_model) {
    const ir::CountedResults counted = ir::counted_results(node, dims_of(graph_, node, 0).size());
    if (counted.dims.empty()) return;
    const bool is_stated =
        each_result(node, counted, [&](const Place& p) { return graph_.values[p.value].type.is_static(); });
    const bool only_leaves = of_model && each_result(node, counted, [&](const Place& p) { return !is_read(p.value); });
    // The length of TopK is an operand, and a model that states it means it.
    if (is_stated && node.op == "TopK") return;
    const bool is_wanted = !each_result(node, counted, [](const Place&) { return false; });
    const bool is_exact = is_stated && (!only_leaves || !is_wanted);
    const Bound most = most_results(graph_, node);
    const auto is_carried = [&](const Place& p) { return carried(p).has_value(); };
    if (!is_exact && (!most || !of_model || !each_result(node, counted, is_carried))) return;
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
      const auto places = carried({node.outputs[output], dim});
      for (const Place& place : *places) {
        ir::Value& value = graph_.values[place.value];
        (*value.type.dims)[place.dim] = most;
        for (std::uint32_t i = 0; i < graph_.outputs.size(); ++i) {
          if (graph_.outputs[i] != place.value) continue;
          if (name.empty()) name = value.name;
          found.push_back({i, static_cast<std::uint32_t>(place.dim), 0});
        }
      }
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
