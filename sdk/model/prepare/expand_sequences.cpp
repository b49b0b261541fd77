#include "sdk/model/prepare/expand_sequences.hpp"

#include <algorithm>
#include <cstring>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/prepare/expand_control.hpp"

namespace byoc {
namespace {

using ir::Container;
using ir::ValueId;
using Elements = std::vector<ValueId>;

constexpr const char* kNotThere = "an optional holds nothing";
constexpr std::int64_t kVersion = 13;  // of the operators that take the place of others

class SequenceExpander {
 public:
  SequenceExpander(ir::Graph& graph, HeldValues& known) : graph_(graph), known_(known) {}

  bool run() {
    std::vector<ir::Node> nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (ir::Node& node : nodes) {
      if (!ir::bodies(node).empty()) {
        const std::size_t first = graph_.nodes.size();
        changed_ = expand_control(graph_, std::move(node), known_) || changed_;
        // The nodes written behind it define its results.
        std::vector<ir::Node> written(
            std::make_move_iterator(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(first)),
            std::make_move_iterator(graph_.nodes.end()));
        graph_.nodes.resize(first);
        for (ir::Node& w : written) add(std::move(w));
      } else {
        add(std::move(node));
      }
    }
    return changed_;
  }

 private:
  struct Rule {
    std::string_view op;
    bool (SequenceExpander::*apply)(const ir::Node&);
  };

  void add(ir::Node node) {
    if (ir::has_trait(node, ir::kHolds) && expand(node))
      changed_ = true;
    else
      graph_.nodes.push_back(std::move(node));
  }

  // True where the node's results are there without it.
  bool expand(const ir::Node& node) {
    static constexpr Rule kRules[] = {{"ConcatFromSequence", &SequenceExpander::concat},
                                      {"ElementOf", &SequenceExpander::element},
                                      {"Identity", &SequenceExpander::note_same},
                                      {"Optional", &SequenceExpander::note_elements},
                                      {"OptionalGetElement", &SequenceExpander::get_element},
                                      {"OptionalHasElement", &SequenceExpander::has_element},
                                      {"OptionalOf", &SequenceExpander::note_given},
                                      {"SequenceAt", &SequenceExpander::element},
                                      {"SequenceConstruct", &SequenceExpander::note_elements},
                                      {"SequenceEmpty", &SequenceExpander::note_elements},
                                      {"SequenceErase", &SequenceExpander::note_erased},
                                      {"SequenceInsert", &SequenceExpander::note_inserted},
                                      {"SequenceLength", &SequenceExpander::length},
                                      {"SequenceOf", &SequenceExpander::note_counted},
                                      {"SplitToSequence", &SequenceExpander::note_pieces}};
    if (node.outputs.size() != 1 || node.outputs[0] == ir::kNoValue) return false;
    for (const Rule& rule : kRules)
      if (rule.op == node.op) return (this->*rule.apply)(node);
    return false;
  }

  // The elements, where all of them are there in every run.
  [[nodiscard]] const Elements* known(ValueId v) const {
    const Held* held = known_.find(v);
    return held == nullptr || held->count != ir::kNoValue || held->given != ir::kNoValue ? nullptr : &held->elements;
  }
  void note(const ir::Node& node, Elements elements, ValueId count = ir::kNoValue) {
    known_.set(node.outputs[0], {std::move(elements), count});
  }

  // True if the value is known to be no optional; false if its type is not known yet.
  [[nodiscard]] bool is_there(ValueId v) const {
    const ir::TensorType& t = graph_.values[v].type;
    return t.dtype != DType::undefined && (t.container == Container::tensor || t.container == Container::sequence);
  }

  // A constant position among `count`, of a sequence of `length`.
  [[nodiscard]] std::optional<std::size_t> position(ValueId v, std::size_t length, std::size_t count) const {
    const auto given = ir::constant_integers(graph_, v);
    if (!given || given->size() != 1) return std::nullopt;
    const std::int64_t at = (*given)[0] < 0 ? (*given)[0] + static_cast<std::int64_t>(length) : (*given)[0];
    if (at < 0 || at >= static_cast<std::int64_t>(count)) return std::nullopt;
    return static_cast<std::size_t>(at);
  }

  ir::Node& emit(const ir::Node& like, std::string_view op, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
    ir::Node node;
    node.op = op;
    node.version = kVersion;
    node.stand_for(like);
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    return graph_.add_node(std::move(node));
  }

  bool replace(const ir::Node& node, ValueId by) {
    if (const Held* held = known_.find(by)) known_.set(node.outputs[0], *held);
    emit(node, "Identity", {by}, node.outputs);
    return true;
  }

  template <class T>
  void set(ValueId v, DType dtype, T element) {
    std::vector<std::byte> bytes(sizeof element);
    std::memcpy(bytes.data(), &element, sizeof element);
    graph_.values[v].type.dtype = dtype;
    graph_.values[v].type.dims.emplace();
    graph_.values[v].constant.emplace();
    graph_.values[v].constant->bytes = Blob::own(std::move(bytes));
  }

  // Whoever looks at a value that was just written wants to know what it is.
  void type_as(ValueId v, const ir::TensorType& type) {
    ir::TensorType& of = graph_.values[v].type;
    if (of.dtype != DType::undefined) return;
    of.dtype = type.dtype;
    of.dims = type.dims;
  }

  ValueId axes(std::int64_t axis) {
    const ValueId v = graph_.add_value({});
    set(v, DType::i64, axis);
    graph_.values[v].type.dims = {1};
    return v;
  }

  bool note_elements(const ir::Node& node) {
    Elements elements;
    for (const ValueId v : node.inputs)
      if (v != ir::kNoValue) elements.push_back(v);
    if (elements.size() <= kMostElements) note(node, std::move(elements));
    return false;
  }

  bool note_same(const ir::Node& node) {
    if (const Held* held = known_.find(node.inputs[0])) known_.set(node.outputs[0], Held(*held));
    return false;
  }

  bool note_counted(const ir::Node& node) {
    Elements elements(node.inputs.begin() + 1, node.inputs.end());
    if (elements.size() > kMostElements) return false;
    NodeWriter write(graph_, graph_.nodes, node);
    if (const auto count = ir::constant_integers(graph_, node.inputs[0])) {
      if (count->size() != 1 || (*count)[0] < 0 || (*count)[0] > std::ssize(elements)) return false;
      elements.resize(static_cast<std::size_t>((*count)[0]));
      note(node, std::move(elements));
    } else {
      note(node, std::move(elements), number(write, node.inputs[0]));
    }
    return false;
  }

  bool note_given(const ir::Node& node) {
    Held held{{node.inputs[1]}, ir::kNoValue, node.inputs[0]};
    if (graph_.is_constant(node.inputs[0])) {
      const auto bytes = graph_.values[node.inputs[0]].constant->bytes.bytes();
      if (bytes.size() != 1) return false;
      if (bytes[0] == std::byte{0}) held.elements.clear();
      held.given = ir::kNoValue;
    }
    known_.set(node.outputs[0], std::move(held));
    return false;
  }

  bool note_inserted(const ir::Node& node) {
    const Elements* before = known(node.inputs[0]);
    if (before == nullptr) return note_inserted_somewhere(node);
    if (before->size() >= kMostElements) return false;
    Elements elements = *before;
    std::size_t at = elements.size();
    if (node.input(2) != ir::kNoValue) {
      const auto given = position(node.input(2), at, at + 1);
      if (!given) return note_inserted_somewhere(node);
      at = *given;
    }
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(at), node.inputs[1]);
    note(node, std::move(elements));
    return false;
  }

  bool note_erased(const ir::Node& node) {
    const Elements* before = known(node.inputs[0]);
    if (before == nullptr) return note_erased_somewhere(node);
    if (before->empty()) return false;
    Elements elements = *before;
    std::size_t at = elements.size() - 1;
    if (node.input(1) != ir::kNoValue) {
      const auto given = position(node.input(1), elements.size(), elements.size());
      if (!given) return note_erased_somewhere(node);
      at = *given;
    }
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(at));
    note(node, std::move(elements));
    return false;
  }

  // The lengths of the pieces; nullopt where they are not known or do not fit, which is for others to say.
  std::optional<std::vector<std::int64_t>> lengths(const ir::Node& node, std::int64_t total) const {
    std::int64_t each = 1;
    if (const ValueId split = node.input(1); split != ir::kNoValue) {
      auto given = ir::constant_integers(graph_, split);
      if (!given || graph_.values[split].type.dims->size() > 1) return std::nullopt;
      if (graph_.values[split].type.dims->size() == 1) return given;
      each = (*given)[0];
    }
    if (each < 1 || total / each > static_cast<std::int64_t>(kMostElements)) return std::nullopt;
    std::vector<std::int64_t> out(static_cast<std::size_t>(total / each), each);
    if (total % each != 0) out.push_back(total % each);
    return out;
  }

  // The pieces are those of a Split, which is dead where nobody looks into the sequence.
  bool note_pieces(const ir::Node& node) {
    const ir::TensorType& type = graph_.values[node.inputs[0]].type;
    if (!type.is_shaped()) return false;
    const auto rank = static_cast<std::int64_t>(type.dims->size());
    std::int64_t axis = node.integer("axis", 0);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return false;
    const auto pieces = lengths(node, (*type.dims)[static_cast<std::size_t>(axis)]);
    if (!pieces || pieces->empty() || pieces->size() > kMostElements) return false;
    const ValueId split = graph_.add_value({});
    set(split, DType::i64, std::int64_t{0});
    std::vector<std::byte> bytes(pieces->size() * sizeof(std::int64_t));
    std::memcpy(bytes.data(), pieces->data(), bytes.size());
    graph_.values[split].type.dims = {static_cast<ir::Dim>(pieces->size())};
    graph_.values[split].constant->bytes = Blob::own(std::move(bytes));
    Elements elements;
    ir::TensorType piece = graph_.values[node.inputs[0]].type;
    for (const std::int64_t length : *pieces) {
      (*piece.dims)[static_cast<std::size_t>(axis)] = length;
      elements.push_back(graph_.add_value({}));
      type_as(elements.back(), piece);
    }
    emit(node, "Split", {node.inputs[0], split}, elements).attributes["axis"] = axis;
    if (node.input(1) == ir::kNoValue && node.integer("keepdims", 1) == 0) {
      piece.dims->erase(piece.dims->begin() + axis);
      for (ValueId& v : elements) {
        const ValueId squeezed = graph_.add_value({});
        type_as(squeezed, piece);
        emit(node, "Squeeze", {v, axes(axis)}, {squeezed});
        v = squeezed;
      }
    }
    note(node, std::move(elements));
    return false;
  }

  // An integer of either type, of shape [] or [1], as i64[].
  ValueId number(NodeWriter& write, ValueId v) {
    const ValueId wide = write.op("Cast", {v}, {{"to", ir::onnx_number(DType::i64)}});
    return write.op("Reshape", {wide, write.integers({})});
  }

  ValueId count_of(NodeWriter& write, const Held& held) {
    return held.count == ir::kNoValue ? write.integer(std::ssize(held.elements)) : held.count;
  }

  // The position counted from the start, where it is less than `end`; the run fails where it is none.
  ValueId checked(NodeWriter& write, ValueId position, ValueId count, ValueId end) {
    const ValueId given = number(write, position), zero = write.integer(0);
    const ValueId at = write.op("Where", {write.less(given, zero), write.op("Add", {given, count}), given});
    const ValueId good = write.op("And", {write.op("GreaterOrEqual", {at, zero}), write.less(at, end)});
    return write.only_if(good, at, "a position is none of a sequence");
  }

  // Inserts at a position, or with a count, that only a run tells: each place gets the old element, the new one, or its
  // neighbour.
  bool note_inserted_somewhere(const ir::Node& node) {
    const Held* before = known_.find(node.inputs[0]);
    if (before == nullptr || before->elements.size() >= kMostElements) return false;
    const Held old = *before;
    Elements all = old.elements;
    all.push_back(node.inputs[1]);
    const ir::TensorType* of = known_.uniform(all);
    if (of == nullptr) return false;
    const ir::TensorType type = *of;
    NodeWriter write(graph_, graph_.nodes, node);
    const ValueId count = count_of(write, old), more = write.op("Add", {count, write.integer(1)});
    const ValueId at = node.input(2) == ir::kNoValue ? count : checked(write, node.input(2), count, more);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const ValueId place = write.integer(static_cast<std::int64_t>(i));
      const ValueId moved =
          i == 0 ? node.inputs[1] : write.op("Where", {write.equal(place, at), node.inputs[1], old.elements[i - 1]});
      all[i] = i == old.elements.size() ? moved : write.op("Where", {write.less(place, at), old.elements[i], moved});
    }
    for (const ValueId v : all) type_as(v, type);
    note(node, std::move(all), old.count == ir::kNoValue ? ir::kNoValue : more);
    return false;
  }

  bool note_erased_somewhere(const ir::Node& node) {
    const Held* before = known_.find(node.inputs[0]);
    const ir::TensorType* of = before == nullptr ? nullptr : known_.uniform(before->elements);
    if (of == nullptr) return false;
    const ir::TensorType type = *of;
    const Held old = *before;
    NodeWriter write(graph_, graph_.nodes, node);
    const ValueId count = count_of(write, old);
    const ValueId last = node.input(1) == ir::kNoValue ? write.integer(-1) : node.input(1);
    const ValueId at = checked(write, last, count, count);
    Elements rest;
    for (std::size_t i = 0; i + 1 < old.elements.size(); ++i) {
      const ValueId place = write.integer(static_cast<std::int64_t>(i));
      rest.push_back(write.op("Where", {write.less(place, at), old.elements[i], old.elements[i + 1]}));
    }
    for (const ValueId v : rest) type_as(v, type);
    note(node, std::move(rest), old.count == ir::kNoValue ? ir::kNoValue : write.op("Sub", {count, write.integer(1)}));
    return false;
  }

  // The element at a position that only a run tells.
  bool element_somewhere(const ir::Node& node) {
    const Held* held = known_.find(node.inputs[0]);
    if (held == nullptr || held->given != ir::kNoValue || known_.uniform(held->elements) == nullptr) return false;
    const Held of = *held;
    NodeWriter write(graph_, graph_.nodes, node);
    const ValueId count = count_of(write, of), at = checked(write, node.inputs[1], count, count);
    std::vector<ValueId> rows;
    for (const ValueId v : of.elements) rows.push_back(write.op("Unsqueeze", {v, write.integers({0})}));
    const ValueId all = write.op("Concat", rows, {{"axis", std::int64_t{0}}});
    write.give(node.outputs, "Gather", {all, at}, {{"axis", std::int64_t{0}}});
    return true;
  }

  bool element(const ir::Node& node) {
    if (node.op == "ElementOf" && is_there(node.inputs[0]) && graph_.values[node.inputs[0]].type.is_tensor())
      return replace(node, node.inputs[0]);
    const Elements* elements = known(node.inputs[0]);
    const auto at = elements == nullptr ? std::nullopt : position(node.inputs[1], elements->size(), elements->size());
    return at ? replace(node, (*elements)[*at]) : element_somewhere(node);
  }

  bool length(const ir::Node& node) {
    const Held* held = known_.find(node.inputs[0]);
    if (held != nullptr && held->count != ir::kNoValue) return replace(node, held->count);
    const Elements* elements = known(node.inputs[0]);
    if (elements == nullptr) return false;
    set(node.outputs[0], DType::i64, static_cast<std::int64_t>(elements->size()));
    return true;
  }

  bool concat(const ir::Node& node) {
    const Elements* all = known(node.inputs[0]);
    if (all == nullptr || all->empty()) return false;
    Elements elements = *all;
    const std::int64_t axis = node.integer("axis", 0);
    if (node.integer("new_axis", 0) != 0)
      for (ValueId& v : elements) {
        const ValueId wider = graph_.add_value({});
        emit(node, "Unsqueeze", {v, axes(axis)}, {wider});
        v = wider;
      }
    emit(node, "Concat", elements, node.outputs).attributes["axis"] = axis;
    return true;
  }

  bool get_element(const ir::Node& node) {
    if (is_there(node.inputs[0])) return replace(node, node.inputs[0]);
    const Held* content = known_.find(node.inputs[0]);
    if (content == nullptr || content->elements.size() != 1) return false;
    if (content->given == ir::kNoValue) return replace(node, content->elements[0]);
    return get_given(node, content->given, content->elements[0]);
  }

  // Reads the content of an optional that may be absent; a run checks that it is present.
  bool get_given(const ir::Node& node, ValueId given, ValueId content) {
    const auto inside = known_.flat(content);
    if (!inside) return false;
    FlatHeld checked = *inside;
    NodeWriter write(graph_, graph_.nodes, node);
    for (ValueId& v : checked.tensors) {
      const ValueId whole = write.only_if(given, v, kNotThere);
      graph_.values[whole].type = graph_.values[v].type;
      v = whole;
    }
    if (checked.count != ir::kNoValue) checked.count = write.only_if(given, checked.count, kNotThere);
    const std::size_t first = graph_.nodes.size();
    write_held(write, graph_, checked, node.outputs[0]);
    ir::Node last = std::move(graph_.nodes.back());
    graph_.nodes.resize(first);
    add(std::move(last));
    return true;
  }

  bool has_element(const ir::Node& node) {
    const ValueId v = node.input(0);
    const Held* content = v == ir::kNoValue || is_there(v) ? nullptr : known_.find(v);
    if (v != ir::kNoValue && !is_there(v) && content == nullptr) return false;
    if (content != nullptr && content->given != ir::kNoValue) return replace(node, content->given);
    set(node.outputs[0], DType::boolean, v != ir::kNoValue && (content == nullptr || !content->elements.empty()));
    return true;
  }

  ir::Graph& graph_;
  HeldValues& known_;
  bool changed_ = false;
};

bool has_sequences(const ir::Graph& graph) {
  const auto is_one = [](const ir::Value& v) { return v.type.container != Container::tensor; };
  if (std::any_of(graph.values.begin(), graph.values.end(), is_one)) return true;
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
    const auto inside = ir::bodies(node);
    return (ir::has_trait(node, ir::kHolds) && ir::has_trait(node, ir::kForHosts)) ||
           std::any_of(inside.begin(), inside.end(), [](const auto& body) { return has_sequences(*body); });
  });
}

}  // namespace

bool expand_sequences(ir::Graph& graph, std::vector<HeldValues>& known) {
  return SequenceExpander(graph, known.emplace_back(graph)).run();
}

bool expand_sequences(ir::Graph& graph) {
  if (!has_sequences(graph)) return false;
  ir::Graph before = graph;
  ir::own_bodies(before);
  std::vector<HeldValues> known;
  if (expand_sequences(graph, known)) return true;
  // Nodes that were written on the way have no reader. They would be folded and written again without an end.
  graph = std::move(before);
  return false;
}

}  // namespace byoc
