#include "sdk/model/prepare/lower_texts.hpp"

#include <algorithm>
#include <map>

#include "sdk/model/ir/operators.hpp"
#include "sdk/model/prepare/text_rules.hpp"

namespace byoc {
namespace {

using ir::ValueId;

bool is_text(const ir::Graph& graph, ValueId v) {
  return v != ir::kNoValue && graph.values[v].type.is_tensor() && graph.values[v].type.dtype == DType::string;
}

class Lowering {
 public:
  Lowering(ir::Graph& graph, const Bounds& bounds) : graph_(graph), bounds_(bounds), cells_(graph) {}

  bool run() {
    std::vector<bool> leaves(graph_.values.size(), false);
    for (const ValueId v : graph_.outputs) leaves[v] = true;
    for (const ir::Node& node : graph_.nodes)
      for (const ValueId v : node.inputs)
        if (v != ir::kNoValue) leaves[v] = false;
    cells_.set_leaves(std::move(leaves));
    inputs();
    std::vector<ir::Node> nodes = std::move(graph_.nodes);
    graph_.nodes = std::move(front_);
    for (ir::Node& node : nodes) {
      if (touches_texts(node) && lower_text_node(graph_, node, cells_))
        changed_ = true;
      else
        graph_.nodes.push_back(std::move(node));
    }
    outputs();
    std::stable_sort(graph_.bounded.begin(), graph_.bounded.end(), [](const BoundedValue& a, const BoundedValue& b) {
      return std::pair(a.is_output, a.first) < std::pair(b.is_output, b.first);
    });
    return changed_;
  }

 private:
  [[nodiscard]] bool touches_texts(const ir::Node& node) const {
    const auto text = [&](ValueId v) { return is_text(graph_, v); };
    return node.op == "LabelEncoder" || std::any_of(node.inputs.begin(), node.inputs.end(), text) ||
           std::any_of(node.outputs.begin(), node.outputs.end(), text);
  }

  // The bytes that are stated for an input, or for the sequence or optional that it is a part of.
  [[nodiscard]] std::optional<std::uint32_t> room(std::uint32_t input) const {
    std::string name = graph_.values[graph_.inputs[input]].name;
    for (const BoundedValue& b : graph_.bounded)
      if (!b.is_output && input >= b.first && input - b.first < b.elements) name = b.name;
    for (const std::string& key : {name, std::string()})
      if (const auto found = bounds_.find(key); found != bounds_.end() && found->second.text_bytes)
        return found->second.text_bytes;
    return std::nullopt;
  }

  void describe(std::uint32_t index, const std::string& name, bool is_output) {
    for (const BoundedValue& b : graph_.bounded)
      if (b.is_output == is_output && index >= b.first && index - b.first < b.elements) return;
    BoundedValue& b = graph_.bounded.emplace_back();
    b.name = name;
    b.is_output = is_output;
    b.dtype = DType::string;
    b.first = index;
  }

  void inputs() {
    for (std::uint32_t i = 0; i < graph_.inputs.size(); ++i) {
      const ValueId v = graph_.inputs[i];
      const auto bytes = room(i);
      if (!is_text(graph_, v) || !graph_.values[v].type.is_shaped() || !bytes) continue;
      ir::Value value;
      value.name = graph_.values[v].name;
      value.type.dtype = DType::u8;
      value.type.dims = graph_.values[v].type.dims;
      value.type.dims->push_back(std::int64_t{*bytes} + 1);
      graph_.inputs[i] = graph_.add_value(std::move(value));
      const ir::Node like;
      NodeWriter write(graph_, front_, like);
      cells_.set(v, {clean_cells(write, graph_, graph_.inputs[i], *bytes + 1), *bytes + 1});
      describe(i, graph_.values[v].name, false);
      changed_ = true;
    }
  }

  void outputs() {
    const auto all = static_cast<std::uint32_t>(graph_.outputs.size());
    for (std::uint32_t i = 0; i < all; ++i) {
      const ValueId v = graph_.outputs[i];
      const auto cells = is_text(graph_, v) ? cells_.find(v) : std::nullopt;
      if (!cells) continue;
      const std::string name = graph_.values[v].name;
      ValueId out = cells->value;
      // A value that counts its elements has to be the output itself.
      if (!is_own(out)) {
        const ir::Node like;
        out = NodeWriter(graph_, graph_.nodes, like).op("Identity", {out});
      }
      graph_.values[out].name = name;
      graph_.outputs[i] = out;
      describe(i, name, true);
      if (cells->count != ir::kNoValue) {
        const auto last = static_cast<std::uint32_t>(graph_.values[v].type.dims->size() - 1);
        graph_.counted.push_back({i, last, static_cast<std::uint32_t>(graph_.outputs.size())});
        graph_.values[cells->count].name = name + "_count";
        graph_.outputs.push_back(cells->count);
      }
      changed_ = true;
    }
  }

  // True if a node computes the value and it is not an output yet.
  [[nodiscard]] bool is_own(ValueId v) const {
    const auto computes = [&](const ir::Node& n) { return std::count(n.outputs.begin(), n.outputs.end(), v) != 0; };
    return std::count(graph_.outputs.begin(), graph_.outputs.end(), v) == 0 &&
           std::any_of(graph_.nodes.begin(), graph_.nodes.end(), computes);
  }

  ir::Graph& graph_;
  const Bounds& bounds_;
  TextCells cells_;
  std::vector<ir::Node> front_;
  bool changed_ = false;
};

}  // namespace

bool lower_texts(ir::Graph& graph, const Bounds& bounds) { return Lowering(graph, bounds).run(); }

}  // namespace byoc
