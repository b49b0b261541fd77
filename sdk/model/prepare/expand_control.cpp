#include "sdk/model/prepare/expand_control.hpp"

#include <algorithm>
#include <utility>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/prepare/expand_sequences.hpp"
#include "sdk/model/shapes/control_flow.hpp"

namespace byoc {
namespace {

using ir::ValueId;

constexpr std::size_t kMostUnrolled = 20000;  // nodes that the rounds of one loop become

// Visits all values of a sequence or optional in the form of tensors.
template <class F>
void for_each_value(FlatHeld& held, F&& f) {
  for (ValueId& v : held.tensors) f(v);
  if (held.count != ir::kNoValue) f(held.count);
  if (held.given != ir::kNoValue) f(held.given);
}

class Control {
 public:
  Control(ir::Graph& graph, ir::Node node, const HeldValues& known)
      : graph_(graph), node_(std::move(node)), known_(known), bodies_(ir::bodies(node_)) {}

  bool run() {
    expand_captures();
    std::vector<HeldValues> inside;
    for (const auto& body : bodies_) changed_ = expand_sequences(*body, inside) || changed_;
    std::vector<ir::Node> behind;
    const ir::Node like = node_;
    NodeWriter write(graph_, behind, like);
    if (node_.op == "If")
      for (std::size_t k = node_.outputs.size(); k-- > 0;) give_out(k, inside, write);
    if (node_.op != "Loop" || !unroll()) graph_.nodes.push_back(std::move(node_));
    for (ir::Node& n : behind) graph_.nodes.push_back(std::move(n));
    return changed_;
  }

 private:
  [[nodiscard]] std::size_t first_capture() const {
    return node_.op == "If" ? 1 : ir::loop_form(node_).first_capture();
  }

  void expand_captures() {
    const std::size_t first = first_capture(), shift = node_.op == "If" ? 1 : 0;
    for (std::size_t i = node_.inputs.size(); i-- > first;) {
      const ValueId outer = node_.inputs[i];
      if (graph_.values[outer].type.is_tensor()) continue;
      const auto flat = known_.flat(outer);
      if (!flat) continue;
      changed_ = true;
      for (const auto& body : bodies_) expand_input(*body, i - shift, *flat);
      erase_at(node_.inputs, i);
      const std::size_t others = node_.inputs.size();
      FlatHeld passed = *flat;
      for_each_value(passed, [&](ValueId v) { node_.inputs.push_back(v); });
      if (node_.op != "If")
        node_.attributes["captures"] =
            node_.integer("captures", 0) - 1 + static_cast<std::int64_t>(node_.inputs.size() - others);
    }
  }

  // The body takes the tensors, and holds them as what it took before.
  void expand_input(ir::Graph& body, std::size_t input, FlatHeld flat) {
    const ValueId held = body.inputs[input];
    erase_at(body.inputs, input);
    for_each_value(flat, [&](ValueId& v) {
      ir::Value value;
      value.type = graph_.values[v].type;
      if (!value.type.is_shaped()) value.type.dims.reset();
      v = body.add_value(std::move(value));
      body.inputs.push_back(v);
    });
    std::vector<ir::Node> front;
    NodeWriter write(body, front, node_);
    write_held(write, body, flat, held);
    body.nodes.insert(body.nodes.begin(), std::make_move_iterator(front.begin()), std::make_move_iterator(front.end()));
  }

  // The body of a branch, and one result of it as tensors.
  struct Branch {
    ir::Graph& body;
    FlatHeld held;
    [[nodiscard]] const ir::TensorType& type(std::size_t i) const { return body.values[held.tensors[i]].type; }
  };

  // Nullopt if the branches have no common types.
  [[nodiscard]] static std::optional<std::vector<ir::TensorType>> common_types(const Branch& a, const Branch& b) {
    const std::size_t n = std::max(a.held.tensors.size(), b.held.tensors.size());
    std::vector<ir::TensorType> out;
    for (std::size_t i = 0; i < n; ++i) {
      const bool in_a = i < a.held.tensors.size(), in_b = i < b.held.tensors.size();
      const ir::TensorType& type = in_a ? a.type(i) : b.type(i);
      if (!type.is_shaped() || (in_a && in_b && (b.type(i).dtype != type.dtype || b.type(i).dims != type.dims)))
        return std::nullopt;
      out.push_back(type);
    }
    return out;
  }

  // Output `k` of an If that is no tensor.
  void give_out(std::size_t k, const std::vector<HeldValues>& inside, NodeWriter& write) {
    const ValueId output = node_.outputs[k];
    if (output == ir::kNoValue || graph_.values[output].type.is_tensor()) return;
    std::vector<Branch> branches;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      auto flat = inside[b].flat(bodies_[b]->outputs[k]);
      if (!flat) return;
      branches.push_back({*bodies_[b], std::move(*flat)});
    }
    Branch &a = branches[0], &b = branches[1];
    const auto types = common_types(a, b);
    if (!types || a.held.type.dtype != b.held.type.dtype) return;
    FlatHeld result;
    result.type = graph_.values[output].type;
    result.is_empty = a.held.is_empty && b.held.is_empty;
    const bool counts = a.held.count != ir::kNoValue || b.held.count != ir::kNoValue ||
                        (result.is_sequence() && a.held.tensors.size() != b.held.tensors.size());
    const bool may_be_empty = !result.is_empty && (a.held.is_empty || b.held.is_empty || a.held.given != ir::kNoValue ||
                                                   b.held.given != ir::kNoValue);
    changed_ = true;
    erase_at(node_.outputs, k);
    for (const auto& body : bodies_) erase_at(body->outputs, k);
    for (const ir::TensorType& type : *types) result.tensors.push_back(new_output(type));
    if (counts) result.count = new_output({DType::i64, std::vector<ir::Dim>{}});
    if (may_be_empty) result.given = new_output({DType::boolean, std::vector<ir::Dim>{}});
    for (Branch& branch : branches) give_from(branch, *types, counts, may_be_empty);
    write_held(write, graph_, result, output);
  }

  ValueId new_output(ir::TensorType type) {
    ir::Value value;
    value.type = std::move(type);
    value.type.quantisation.reset();
    node_.outputs.push_back(graph_.add_value(std::move(value)));
    return node_.outputs.back();
  }

  void give_from(const Branch& branch, const std::vector<ir::TensorType>& types, bool counts, bool may_be_empty) {
    std::vector<ir::Node> none;
    NodeWriter write(branch.body, none, node_);
    const FlatHeld& held = branch.held;
    std::vector<ValueId>& outputs = branch.body.outputs;
    for (std::size_t i = 0; i < types.size(); ++i)
      outputs.push_back(i < held.tensors.size() ? held.tensors[i] : write.zeros(types[i]));
    if (counts) outputs.push_back(held.count != ir::kNoValue ? held.count : write.integer(std::ssize(held.tensors)));
    if (may_be_empty) outputs.push_back(held.given != ir::kNoValue ? held.given : write.boolean(!held.is_empty));
  }

  // True if sequences or optionals are carried, or read by the body.
  [[nodiscard]] bool holds() const {
    const ir::Graph& body = *bodies_[0];
    const auto is_held = [&](ValueId v) { return v != ir::kNoValue && !body.values[v].type.is_tensor(); };
    return std::any_of(body.outputs.begin(), body.outputs.end(), is_held) ||
           std::any_of(body.inputs.begin(), body.inputs.end(), is_held) ||
           std::any_of(body.nodes.begin(), body.nodes.end(),
                       [&](const ir::Node& n) { return std::any_of(n.inputs.begin(), n.inputs.end(), is_held); });
  }

  // True if no round ends the loop: its condition is true or unchanged.
  [[nodiscard]] bool goes_on() const {
    const ir::Graph& body = *bodies_[0];
    if (node_.inputs[1] != ir::kNoValue && constant_truth(graph_, node_.inputs[1]) != std::optional(true)) return false;
    ValueId again = body.outputs[0];
    for (auto n = body.nodes.rbegin(); n != body.nodes.rend(); ++n)
      if (n->is("", "Identity") && n->outputs[0] == again) again = n->inputs[0];
    return again == body.inputs[1] || constant_truth(body, again) == std::optional(true);
  }

  // True where the rounds stand in the place of the loop.
  bool unroll() {
    const auto trips = ir::constant_integers(graph_, node_.input(0));
    if (!trips || trips->size() != 1 || (*trips)[0] < 1 || !holds() || !goes_on()) return false;
    const ir::LoopForm form = ir::loop_form(node_);
    const auto rounds = static_cast<std::size_t>((*trips)[0]);
    if (rounds > kMostUnrolled / std::max<std::size_t>(form.body->nodes.size(), 1)) return false;
    changed_ = true;
    NodeWriter write(graph_, graph_.nodes, node_);
    std::vector<ValueId> arguments = node_.inputs;
    std::vector<std::vector<ValueId>> stacked(form.stacked);
    for (std::size_t round = 0; round < rounds; ++round) {
      ir::Graph body = *form.body;
      ir::own_bodies(body);
      arguments[0] = write.integer(static_cast<std::int64_t>(round));
      arguments[1] = write.boolean(true);
      for (std::size_t i : {0, 1})
        if (const auto& dims = body.values[body.inputs[i]].type.dims; dims && dims->size() == 1)
          graph_.values[arguments[i]].type.dims = {1};
      const auto out = ir::inline_body(graph_, graph_.nodes, body, arguments);
      for (std::size_t k = 0; k < form.carried; ++k) arguments[form.first_input + k] = out[form.first_output + k];
      for (std::size_t k = 0; k < form.stacked; ++k)
        stacked[k].push_back(write.op("Unsqueeze", {out[form.first_output + form.carried + k], write.integers({0})}));
    }
    for (std::size_t k = 0; k < form.carried; ++k)
      if (node_.outputs[k] != ir::kNoValue)
        write.give({node_.outputs[k]}, "Identity", {arguments[form.first_input + k]});
    for (std::size_t k = 0; k < form.stacked; ++k)
      if (const ValueId v = node_.outputs[form.carried + k]; v != ir::kNoValue)
        write.give({v}, "Concat", stacked[k], {{"axis", std::int64_t{0}}});
    return true;
  }

  ir::Graph& graph_;
  ir::Node node_;
  const HeldValues& known_;
  std::vector<std::shared_ptr<ir::Graph>> bodies_;
  bool changed_ = false;
};

}  // namespace

bool expand_control(ir::Graph& graph, ir::Node node, const HeldValues& known) {
  return Control(graph, std::move(node), known).run();
}

}  // namespace byoc
