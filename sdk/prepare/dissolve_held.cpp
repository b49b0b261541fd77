#include "sdk/prepare/dissolve_held.hpp"

#include <cstring>
#include <map>

#include "sdk/ir/operators.hpp"

namespace byoc {
namespace {

using ir::Container;
using ir::ValueId;
using Elements = std::vector<ValueId>;

constexpr std::size_t kMostElements = 1024;  // of one sequence; longer ones stay sequences
constexpr std::int64_t kVersion = 13;        // of the operators that take the place of others

class Dissolver {
 public:
  explicit Dissolver(ir::Graph& graph) : graph_(graph) {}

  void run() {
    std::vector<ir::Node> nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (ir::Node& node : nodes) {
      for (const auto& body : ir::bodies(node)) dissolve_held(*body);
      if (!ir::has_trait(node, ir::kHolds) || !dissolve(node)) graph_.nodes.push_back(std::move(node));
    }
  }

 private:
  struct Rule {
    std::string_view op;
    bool (Dissolver::*apply)(const ir::Node&);
  };

  // True where the node's results are there without it.
  bool dissolve(const ir::Node& node) {
    static constexpr Rule kRules[] = {{"ConcatFromSequence", &Dissolver::concat},
                                      {"ElementOf", &Dissolver::element},
                                      {"Identity", &Dissolver::note_same},
                                      {"Optional", &Dissolver::note_elements},
                                      {"OptionalGetElement", &Dissolver::get_element},
                                      {"OptionalHasElement", &Dissolver::has_element},
                                      {"SequenceAt", &Dissolver::element},
                                      {"SequenceConstruct", &Dissolver::note_elements},
                                      {"SequenceEmpty", &Dissolver::note_elements},
                                      {"SequenceErase", &Dissolver::note_erased},
                                      {"SequenceInsert", &Dissolver::note_inserted},
                                      {"SequenceLength", &Dissolver::length},
                                      {"SplitToSequence", &Dissolver::note_pieces}};
    if (node.outputs.size() != 1 || node.outputs[0] == ir::kNoValue) return false;
    for (const Rule& rule : kRules)
      if (rule.op == node.op) return (this->*rule.apply)(node);
    return false;
  }

  [[nodiscard]] const Elements* known(ValueId v) const {
    const auto found = known_.find(v);
    return found == known_.end() ? nullptr : &found->second;
  }

  // Whether the value is no optional; false where its type is not known yet.
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
    node.name = like.name;
    node.position = like.position;
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    return graph_.add_node(std::move(node));
  }

  bool replace(const ir::Node& node, ValueId by) {
    if (const Elements* elements = known(by)) known_[node.outputs[0]] = *elements;
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
    if (elements.size() <= kMostElements) known_[node.outputs[0]] = std::move(elements);
    return false;
  }

  bool note_same(const ir::Node& node) {
    if (const Elements* elements = known(node.inputs[0])) known_[node.outputs[0]] = *elements;
    return false;
  }

  bool note_inserted(const ir::Node& node) {
    const Elements* before = known(node.inputs[0]);
    if (before == nullptr || before->size() >= kMostElements) return false;
    Elements elements = *before;
    std::size_t at = elements.size();
    if (node.input(2) != ir::kNoValue) {
      const auto given = position(node.input(2), at, at + 1);
      if (!given) return false;
      at = *given;
    }
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(at), node.inputs[1]);
    known_[node.outputs[0]] = std::move(elements);
    return false;
  }

  bool note_erased(const ir::Node& node) {
    const Elements* before = known(node.inputs[0]);
    if (before == nullptr || before->empty()) return false;
    Elements elements = *before;
    std::size_t at = elements.size() - 1;
    if (node.input(1) != ir::kNoValue) {
      const auto given = position(node.input(1), elements.size(), elements.size());
      if (!given) return false;
      at = *given;
    }
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(at));
    known_[node.outputs[0]] = std::move(elements);
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
    for (std::size_t i = 0; i < pieces->size(); ++i) elements.push_back(graph_.add_value({}));
    emit(node, "Split", {node.inputs[0], split}, elements).attributes["axis"] = axis;
    if (node.input(1) == ir::kNoValue && node.integer("keepdims", 1) == 0)
      for (ValueId& v : elements) {
        const ValueId squeezed = graph_.add_value({});
        emit(node, "Squeeze", {v, axes(axis)}, {squeezed});
        v = squeezed;
      }
    known_[node.outputs[0]] = std::move(elements);
    return false;
  }

  bool element(const ir::Node& node) {
    if (node.op == "ElementOf" && is_there(node.inputs[0]) && graph_.values[node.inputs[0]].type.is_tensor())
      return replace(node, node.inputs[0]);
    const Elements* elements = known(node.inputs[0]);
    const auto at = elements == nullptr ? std::nullopt : position(node.inputs[1], elements->size(), elements->size());
    return at && replace(node, (*elements)[*at]);
  }

  bool length(const ir::Node& node) {
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
    const Elements* content = known(node.inputs[0]);
    return content != nullptr && content->size() == 1 && replace(node, (*content)[0]);
  }

  bool has_element(const ir::Node& node) {
    const ValueId v = node.input(0);
    const Elements* content = v == ir::kNoValue || is_there(v) ? nullptr : known(v);
    if (v != ir::kNoValue && !is_there(v) && content == nullptr) return false;
    set(node.outputs[0], DType::boolean, v != ir::kNoValue && (content == nullptr || !content->empty()));
    return true;
  }

  ir::Graph& graph_;
  std::map<ValueId, Elements> known_;  // of sequences; of optionals, none or one
};

}  // namespace

void dissolve_held(ir::Graph& graph) { Dissolver(graph).run(); }

}  // namespace byoc
