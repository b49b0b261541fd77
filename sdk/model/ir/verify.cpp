#include "sdk/model/ir/verify.hpp"

#include <cmath>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/texts.hpp"

namespace byoc::ir {
namespace {

class Verifier {
 public:
  Verifier(const Graph& graph, Diagnostics& diags) : graph_(graph), diags_(diags) {}

  bool run() {
    if (!check_ids()) return false;
    check_ranges();
    for (ValueId v = 0; v < graph_.values.size(); ++v) check_value(v);
    check_states();
    check_counted();
    check_bounded();
    for (const Node& n : graph_.nodes) check_bodies(n);
    check_order();
    return ok_;
  }

 private:
  void error(std::string where, std::string message, std::string found = {}, std::string expected = {}) {
    ok_ = false;
    diags_.error(graph_.file, std::move(where), std::move(message), std::move(found), std::move(expected));
  }

  std::string describe(ValueId v) const {
    return "value %" + std::to_string(v) + (graph_.values[v].name.empty() ? "" : " '" + graph_.values[v].name + "'");
  }

  bool check_ids() {
    auto in_range = [&](ValueId v) { return v < graph_.values.size(); };
    for (ValueId v : graph_.inputs)
      if (!in_range(v)) error({}, "graph input names a value that does not exist", "%" + std::to_string(v));
    for (ValueId v : graph_.outputs)
      if (!in_range(v)) error({}, "graph output names a value that does not exist", "%" + std::to_string(v));
    for (const State& s : graph_.states)
      for (ValueId v : {s.value, s.next})
        if (!in_range(v)) error({}, "state names a value that does not exist", "%" + std::to_string(v));
    for (const Node& n : graph_.nodes) {
      for (ValueId v : n.inputs)
        if (v != kNoValue && !in_range(v))
          error(n.describe(), "reads a value that does not exist", "%" + std::to_string(v));
      for (ValueId v : n.outputs)
        if (v != kNoValue && !in_range(v))
          error(n.describe(), "writes a value that does not exist", "%" + std::to_string(v));
    }
    return ok_;
  }

  void check_value(ValueId id) {
    const Value& v = graph_.values[id];
    if (v.type.dims) check_dims(id, v.type);
    if (v.type.quantisation) check_quantisation(id, v.type);
    if (!v.type.is_tensor() && v.type.quantisation)
      error(describe(id), "what holds tensors has no quantisation", to_string(v.type, graph_));
    if (!ok_ || !v.constant) return;
    if (v.type.dtype == DType::string && v.type.is_shaped())
      check_texts(id, v);
    else if (!v.type.is_static())
      error(describe(id), "a constant needs a known type", to_string(v.type, graph_));
    else if (v.constant->bytes.size() != v.type.bytes())
      error(describe(id), "constant data does not have the size of its type",
            std::to_string(v.constant->bytes.size()) + " bytes",
            std::to_string(v.type.bytes()) + " bytes for " + to_string(v.type, graph_));
  }

  void check_texts(ValueId id, const Value& v) {
    std::uint64_t count = 1;
    for (const Dim d : *v.type.dims) count *= static_cast<std::uint64_t>(d);
    if (!unpack_texts(v.constant->bytes.bytes(), count))
      error(describe(id), "constant data does not hold the strings of its type",
            std::to_string(v.constant->bytes.size()) + " bytes", to_string(v.type, graph_));
  }

  void check_ranges() {
    if (graph_.ranges.size() > graph_.symbols.size()) error({}, "ranges of more symbols than there are");
    for (const DimRange& r : graph_.ranges)
      if (r.least < 0 || r.most < r.least)
        error({}, "a symbol has no range of lengths", std::to_string(r.least) + " to " + std::to_string(r.most));
  }

  void check_dims(ValueId id, const TensorType& type) {
    // Sizes in bits must stay inside int64, so that every later product of dims does.
    std::int64_t bits = std::max(1U, bit_width(type.dtype));
    for (Dim d : *type.dims) {
      if (is_open(d) && static_cast<std::size_t>(-1 - d) >= graph_.symbols.size()) {
        error(describe(id), "negative dimension", std::to_string(d), "0 or more");
        return;
      }
      if (is_open(d)) continue;
      if (__builtin_mul_overflow(bits, std::max<Dim>(d, 1), &bits)) {
        error(describe(id), "the tensor is too large", to_string(type, graph_), "fewer than 2^63 bits");
        return;
      }
    }
  }

  void check_quantisation(ValueId id, const TensorType& type) {
    const Quantisation& q = *type.quantisation;
    if (q.scales.empty() || q.scales.size() != q.zero_points.size())
      return error(
          describe(id), "quantisation needs as many zero points as scales",
          std::to_string(q.scales.size()) + " scales and " + std::to_string(q.zero_points.size()) + " zero points");
    for (float s : q.scales)
      if (!std::isfinite(s) || s <= 0)
        return error(describe(id), "quantisation scale out of range", std::to_string(s), "a positive finite number");
    if (!q.per_axis()) {
      if (q.scales.size() != 1)
        error(describe(id), "per-tensor quantisation has one scale", std::to_string(q.scales.size()));
      return;
    }
    if (!type.dims) return;
    if (static_cast<std::size_t>(q.axis) >= type.dims->size())
      return error(describe(id), "quantisation axis out of range", std::to_string(q.axis),
                   "less than " + std::to_string(type.dims->size()));
    const Dim length = (*type.dims)[static_cast<std::size_t>(q.axis)];
    if (!is_open(length) && static_cast<std::size_t>(length) != q.scales.size())
      error(describe(id), "per-axis quantisation needs a scale for each index of its axis",
            std::to_string(q.scales.size()) + " scales", std::to_string(length));
  }

  void check_states() {
    std::vector<bool> listed(graph_.values.size(), false);
    for (const State& s : graph_.states) {
      if (listed[s.value]) error(describe(s.value), "is the value of two states");
      listed[s.value] = true;
      const Value& v = graph_.values[s.value];
      if (!v.is_state || v.constant) error(describe(s.value), "is the value of a state, but not marked as one");
      if (!v.type.is_static()) {
        error(describe(s.value), "a state needs a known type", to_string(v.type, graph_));
        continue;
      }
      if (s.initial.size() != 0 && s.initial.size() != v.type.bytes())
        error(describe(s.value), "the initial data of the state does not have the size of its type",
              std::to_string(s.initial.size()) + " bytes", std::to_string(v.type.bytes()) + " bytes");
      const TensorType& next = graph_.values[s.next].type;
      if ((next.dtype != DType::undefined && next.dtype != v.type.dtype) ||
          (next.is_static() && next.dims != v.type.dims))
        error(describe(s.next), "does not have the type of the state that it becomes", to_string(next, graph_),
              to_string(v.type, graph_));
    }
    for (ValueId v = 0; v < graph_.values.size(); ++v)
      if (graph_.values[v].is_state && !listed[v])
        error(describe(v), "is marked as a state, but nothing says what it becomes");
  }

  void check_counted() {
    const std::size_t outputs = graph_.outputs.size();
    for (const CountedDim& c : graph_.counted) {
      if (c.output >= outputs || c.count >= outputs || c.output == c.count) {
        error("counted", "names an output that does not exist",
              std::to_string(c.output) + " by " + std::to_string(c.count),
              "two of " + std::to_string(outputs) + " outputs");
        continue;
      }
      const TensorType &type = graph_.values[graph_.outputs[c.output]].type,
                       &count = graph_.values[graph_.outputs[c.count]].type;
      if (type.dims && c.dim >= type.dims->size())
        error(describe(graph_.outputs[c.output]), "has no such dim that could be counted", std::to_string(c.dim),
              "less than " + std::to_string(type.dims->size()));
      if (count.is_static() && (count.dtype != DType::i32 || !count.dims->empty()))
        error(describe(graph_.outputs[c.count]), "is no count", to_string(count, graph_), "i32[]");
    }
  }

  void check_bounded() {
    for (const BoundedValue& b : graph_.bounded) {
      const std::vector<ValueId>& side = b.is_output ? graph_.outputs : graph_.inputs;
      const std::string where = "bounded '" + b.name + "'";
      if (b.first > side.size() || b.elements > side.size() - b.first || (!b.is_sequence && b.elements != 1)) {
        error(where, "names tensors that do not exist",
              std::to_string(b.elements) + " from " + std::to_string(b.first) + " on",
              b.is_sequence ? "among " + std::to_string(side.size()) : "1");
        continue;
      }
      const auto flag = [&](const std::optional<std::uint32_t>& at, DType dtype) {
        if (!at) return;
        const TensorType type = *at < side.size() ? graph_.values[side[*at]].type : TensorType{};
        if (*at < side.size() && (!type.is_static() || (type.dtype == dtype && type.dims->empty()))) return;
        error(where, "has no such count or flag", to_string(type, graph_), std::string(to_string(dtype)) + "[]");
      };
      flag(b.count, DType::i32);
      flag(b.given, DType::boolean);
    }
  }

  void check_bodies(const Node& node) {
    if (is_control(node) && !check_control(graph_, node, diags_)) ok_ = false;
    for (const std::shared_ptr<Graph>& body : bodies(node)) {
      if (!body->states.empty()) error(node.describe(), "a graph inside a node cannot have state of its own");
      if (body->requant != graph_.requant)
        error(node.describe(), "a graph inside a node rounds as the graph around it");
      if (!Verifier(*body, diags_).run()) ok_ = false;
    }
  }

  void check_order() {
    std::vector<bool> defined(graph_.values.size(), false);
    for (ValueId v = 0; v < graph_.values.size(); ++v) defined[v] = graph_.is_constant(v) || graph_.values[v].is_state;
    for (ValueId v : graph_.inputs) {
      if (defined[v]) error(describe(v), "a graph input must not be a constant or listed twice");
      defined[v] = true;
    }
    for (const Node& n : graph_.nodes) {
      for (ValueId v : n.inputs)
        if (v != kNoValue && !defined[v])
          error(n.describe(), "reads " + describe(v) + ", which nothing computes before it");
      for (ValueId v : n.outputs) {
        if (v == kNoValue) continue;
        if (defined[v]) error(n.describe(), "computes " + describe(v) + ", which is already defined");
        defined[v] = true;
      }
    }
    for (ValueId v : graph_.outputs)
      if (!defined[v]) error(describe(v), "is a graph output but nothing computes it");
    for (const State& s : graph_.states)
      if (!defined[s.next]) error(describe(s.next), "is what a state becomes, but nothing computes it");
  }

  const Graph& graph_;
  Diagnostics& diags_;
  bool ok_ = true;
};

}  // namespace

Result<void> verify(const Graph& graph, Diagnostics& diags) {
  if (!Verifier(graph, diags).run()) return failure;
  return {};
}

}  // namespace byoc::ir
