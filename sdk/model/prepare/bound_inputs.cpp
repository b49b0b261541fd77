#include "sdk/model/prepare/bound_inputs.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"

#include <algorithm>
#include <charconv>

#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/prepare/expand_sequences.hpp"
#include "sdk/model/prepare/prepare.hpp"

namespace byoc {
namespace {

using ir::Container;
using ir::ValueId;
using Dims = std::vector<ir::Dim>;

constexpr std::uint32_t kMostTextBytes = 1 << 20;
constexpr const char* kForms = "8, 8[2,3], [2],[3], 16B or 8[2],16B";

template <class T>
bool take_number(std::string_view& text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end == text.data() || text[0] == '-') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// "[2,3]", "[]"
bool take_shape(std::string_view& text, Dims& out) {
  text.remove_prefix(1);
  while (!text.starts_with(']')) {
    if (!out.empty() && !text.starts_with(',')) return false;
    if (!out.empty()) text.remove_prefix(1);
    if (!take_number(text, out.emplace_back())) return false;
  }
  text.remove_prefix(1);
  return true;
}

const Bound* bound_of(const Bounds& bounds, const std::string& name) {
  for (const std::string& key : {name, std::string()})
    if (const auto found = bounds.find(key); found != bounds.end()) return &found->second;
  return nullptr;
}

bool is_sequence(const ir::TensorType& t) {
  return t.container == Container::sequence || t.container == Container::optional_sequence;
}
bool is_optional(const ir::TensorType& t) {
  return t.container == Container::optional || t.container == Container::optional_sequence;
}

class Inputs {
 public:
  Inputs(ir::Graph& graph, const Bounds& bounds, Diagnostics& diags) : graph_(graph), bounds_(bounds), diags_(diags) {}

  Result<void> run() {
    const std::vector<ValueId> old = std::move(graph_.inputs);
    graph_.inputs.clear();
    bool ok = true;
    for (const ValueId v : old) {
      const Result<bool> done = graph_.values[v].type.is_tensor() ? Result<bool>(false) : take(v);
      ok = ok && done;
      if (!done || !*done) graph_.inputs.push_back(v);
    }
    graph_.nodes.insert(graph_.nodes.begin(), std::make_move_iterator(front_.begin()),
                        std::make_move_iterator(front_.end()));
    return ok ? Result<void>() : failure;
  }

 private:
  Failure wrong(ValueId v, const std::string& message, const std::string& expected) {
    return diags_.error(graph_.file, graph_.values[v].name, message, to_string(graph_.values[v].type, graph_),
                        expected);
  }

  // The types of all tensors that there are; none where the room is not known.
  Result<std::optional<std::vector<ir::TensorType>>> room(ValueId v, const Bound& bound) {
    const ir::TensorType& held = graph_.values[v].type;
    ir::TensorType element{held.dtype, held.dims};
    using Types = std::vector<ir::TensorType>;
    if (!is_sequence(held) && (bound.elements || bound.shapes.size() > 1))
      return wrong(v, "--bound says a number of elements of what is no sequence", "one shape, as in [2,3]");
    if (bound.elements && bound.shapes.size() > 1)
      return wrong(v, "--bound says several shapes and a number of elements", "8[2,3] or [2],[3]");
    if (!bound.elements && !bound.shapes.empty()) {
      Types out;
      for (const Dims& dims : bound.shapes) out.push_back({held.dtype, dims});
      return std::optional(out);
    }
    if (!bound.shapes.empty()) element.dims = bound.shapes[0];
    const std::size_t count = is_sequence(held) ? bound.elements.value_or(0) : 1;
    if (is_sequence(held) && !bound.elements) return std::optional<Types>();
    if (count != 0 && !element.is_shaped()) {
      if (!is_sequence(held)) return std::optional<Types>();
      return wrong(v, "nothing says the shape of the elements", "--bound NAME=8[2,3]");
    }
    return std::optional(Types(count, element));
  }

  ValueId input(const std::string& name, ir::TensorType type) {
    ir::Value value;
    value.name = name;
    value.type = std::move(type);
    graph_.inputs.push_back(graph_.add_value(std::move(value)));
    return graph_.inputs.back();
  }

  // The parts of the bound for all inputs that apply to an input which is no sequence.
  [[nodiscard]] Bound bound_for(ValueId v) const {
    const std::string& name = graph_.values[v].name;
    const Bound* found = bound_of(bounds_, name);
    Bound bound = found == nullptr ? Bound{} : *found;
    if (bounds_.contains(name) || is_sequence(graph_.values[v].type)) return bound;
    bound.elements.reset();
    if (bound.shapes.size() > 1) bound.shapes.clear();
    return bound;
  }

  Result<bool> take(ValueId v) {
    const std::string name = graph_.values[v].name;
    const Bound bound = bound_for(v);
    const auto types = room(v, bound);
    if (!types) return failure;
    if (!*types) return false;
    FlatHeld held;
    held.type = graph_.values[v].type;
    BoundedValue outside{name, false, is_sequence(held.type), is_optional(held.type), held.type.dtype};
    outside.first = static_cast<std::uint32_t>(graph_.inputs.size());
    outside.elements = static_cast<std::uint32_t>((*types)->size());
    for (std::size_t i = 0; i < (*types)->size(); ++i)
      held.tensors.push_back(input(outside.is_sequence ? name + "_" + std::to_string(i) : name, (**types)[i]));
    const ir::Node like;
    NodeWriter write(graph_, front_, like);
    if (outside.is_sequence && !held.tensors.empty() && bound.elements) {
      outside.count = static_cast<std::uint32_t>(graph_.inputs.size());
      held.count = in_range(write, input(name + "_count", {DType::i32, Dims{}}), std::ssize(held.tensors));
    }
    if (outside.is_optional) {
      outside.given = static_cast<std::uint32_t>(graph_.inputs.size());
      held.given = input(name + "_given", {DType::boolean, Dims{}});
    }
    write_held(write, graph_, held, v);
    graph_.bounded.push_back(std::move(outside));
    return true;
  }

  // A run with another count fails.
  static ValueId in_range(NodeWriter& write, ValueId count, std::int64_t most) {
    const ValueId wide = write.op("Cast", {count}, {{"to", ir::onnx_number(DType::i64)}});
    const ValueId good = write.op("And", {write.op("GreaterOrEqual", {wide, write.integer(0)}),
                                          write.op("LessOrEqual", {wide, write.integer(most)})});
    return write.only_if(good, wide, "a count of elements is out of range");
  }

  ir::Graph& graph_;
  const Bounds& bounds_;
  Diagnostics& diags_;
  std::vector<ir::Node> front_;
};

class Outputs {
 public:
  explicit Outputs(ir::Graph& graph) : graph_(graph) { expand_sequences(graph, known_); }

  Result<bool> run(Diagnostics& diags) {
    // Nodes that were just added have no types yet.
    if (!infer_shapes(graph_, diags)) return failure;
    const std::vector<ValueId> old = std::move(graph_.outputs);
    graph_.outputs.clear();
    for (const ValueId v : old)
      if (graph_.values[v].type.is_tensor() || !give(v)) graph_.outputs.push_back(v);
    return changed_;
  }

 private:
  void output(const std::string& name, std::string_view op, ValueId from, NodeWriter::Attributes attributes = {}) {
    const ir::Node like;
    NodeWriter write(graph_, graph_.nodes, like);
    ir::Value value;
    value.name = name;
    graph_.outputs.push_back(graph_.add_value(std::move(value)));
    write.give({graph_.outputs.back()}, op, {from}, std::move(attributes));
  }

  bool give(ValueId v) {
    const auto held = known_.front().flat(v);
    if (!held) return false;
    for (const ValueId t : held->tensors)
      if (!graph_.values[t].type.is_shaped()) return false;
    const std::string name = graph_.values[v].name;
    BoundedValue outside{name, true, held->is_sequence(), held->is_optional(), held->type.dtype};
    outside.first = static_cast<std::uint32_t>(graph_.outputs.size());
    outside.elements = static_cast<std::uint32_t>(held->tensors.size());
    for (std::size_t i = 0; i < held->tensors.size(); ++i)
      output(outside.is_sequence ? name + "_" + std::to_string(i) : name, "Identity", held->tensors[i]);
    if (held->count != ir::kNoValue) {
      outside.count = static_cast<std::uint32_t>(graph_.outputs.size());
      output(name + "_count", "Cast", held->count, {{"to", ir::onnx_number(DType::i32)}});
    }
    ValueId given = held->given;
    const ir::Node like;
    if (held->is_empty) given = NodeWriter(graph_, graph_.nodes, like).boolean(false);
    if (given != ir::kNoValue) {
      outside.given = static_cast<std::uint32_t>(graph_.outputs.size());
      output(name + "_given", "Identity", given);
    }
    graph_.bounded.push_back(std::move(outside));
    return changed_ = true;
  }

  ir::Graph& graph_;
  std::vector<HeldValues> known_;  // of the graph alone
  bool changed_ = false;
};

}  // namespace

std::optional<Bound> parse_bound(std::string_view text) {
  Bound out;
  for (bool first = true; !text.empty(); first = false) {
    if (!first && text.starts_with(',')) text.remove_prefix(1);
    if (text.starts_with('[')) {
      if (out.text_bytes || !take_shape(text, out.shapes.emplace_back())) return std::nullopt;
      continue;
    }
    std::uint32_t number = 0;
    if (!take_number(text, number)) return std::nullopt;
    if (text == "B") {
      if (number > kMostTextBytes) return std::nullopt;
      out.text_bytes = number;
      text.remove_prefix(1);
    } else if (first && number <= kMostElements) {
      out.elements = number;
    } else {
      return std::nullopt;
    }
  }
  if (!out.elements && out.shapes.empty() && !out.text_bytes) return std::nullopt;
  return out;
}

Result<Bounds> parse_bounds(const ir::Graph& graph, const std::map<std::string, std::string>& texts,
                            Diagnostics& diags) {
  Bounds out;
  for (const auto& [name, text] : texts) {
    const auto bound = parse_bound(text);
    if (!bound) return diags.error(graph.file, name, "--bound is none", "'" + text + "'", kForms);
    const auto is_named = [&, &key = name](ValueId v) { return graph.values[v].name == key; };
    const auto input = std::find_if(graph.inputs.begin(), graph.inputs.end(), is_named);
    if (!name.empty() && input == graph.inputs.end())
      return diags.error(graph.file, {}, "--bound names no input of the model", "'" + name + "'");
    if (!name.empty()) {
      const ir::TensorType& type = graph.values[*input].type;
      const bool is_plain = type.is_tensor() && type.dtype != DType::string;
      const bool fits = !is_plain && (!bound->text_bytes || type.dtype == DType::string) &&
                        (!type.is_tensor() || (!bound->elements && bound->shapes.empty()));
      if (!fits)
        return diags.error(graph.file, name, "--bound says room that this input has no use for",
                           "'" + text + "' for " + to_string(type, graph),
                           is_plain ? "a sequence, an optional or strings" : kForms);
    }
    out[name] = *bound;
  }
  return out;
}

Result<void> bound_inputs(ir::Graph& graph, const Bounds& bounds, Diagnostics& diags) {
  return Inputs(graph, bounds, diags).run();
}

Result<bool> bound_outputs(ir::Graph& graph, Diagnostics& diags) {
  const bool held = std::any_of(graph.outputs.begin(), graph.outputs.end(),
                                [&](ValueId v) { return !graph.values[v].type.is_tensor(); });
  return held ? Outputs(graph).run(diags) : Result<bool>(false);
}

}  // namespace byoc
