#include "sdk/model/shapes/control_flow.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "sdk/model/ir/control.hpp"

namespace byoc {
namespace {

constexpr std::int64_t kMostFoldedRounds = 4096;

std::optional<std::int64_t> constant_integer(const ir::Graph& graph, ir::ValueId v) {
  if (!graph.is_constant(v) || graph.values[v].type.dtype != DType::i64) return std::nullopt;
  const auto bytes = graph.values[v].constant->bytes.bytes();
  std::int64_t out = 0;
  if (bytes.size() != sizeof out) return std::nullopt;
  std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

template <class T>
ir::ValueId add_single(ir::Graph& graph, DType dtype, std::vector<ir::Dim> dims, T value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  ir::TensorType type;
  type.dtype = dtype;
  type.dims = std::move(dims);
  return graph.add_constant({}, std::move(type), Blob::own(std::move(bytes)));
}

// Removes the elements whose flags are set; there may be fewer flags.
template <class T>
void erase_flagged(std::vector<T>& list, const std::vector<bool>& flags) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (i >= flags.size() || !flags[i]) list[kept++] = std::move(list[i]);
  list.resize(kept);
}

// The source of each Identity of a body.
std::map<ir::ValueId, ir::ValueId> copied_from(const ir::Graph& body) {
  std::map<ir::ValueId, ir::ValueId> copies;
  for (const ir::Node& node : body.nodes)
    if (node.is("", "Identity")) copies.emplace(node.outputs[0], node.inputs[0]);
  return copies;
}

// The k-th axis of one of a Scan's lists, which may be empty: 0 then.
std::int64_t axis_at(const ir::Node& node, const char* list, std::size_t k) {
  const auto axes = node.integers(list, {});
  return k < axes.size() ? axes[k] : 0;
}

// The number of rounds of a Loop or Scan, if it is certain and at most one; for a Scan only one.
std::optional<int> few_rounds(const ir::Graph& graph, const ir::Node& node, const ir::LoopForm& form) {
  if (form.is_scan) {
    const ir::TensorType& scanned = graph.values[node.inputs[form.carried]].type;
    if (!scanned.is_shaped()) return std::nullopt;
    const std::int64_t axis = axis_at(node, "scan_input_axes", 0);
    const auto which = static_cast<std::size_t>(axis < 0 ? axis + std::ssize(*scanned.dims) : axis);
    return which < scanned.dims->size() && (*scanned.dims)[which] == 1 ? std::optional<int>(1) : std::nullopt;
  }
  const auto trips = constant_integer(graph, node.input(0));
  const bool starts = node.input(1) == ir::kNoValue;
  const auto start = starts ? std::optional<bool>(true) : constant_truth(graph, node.input(1));
  if ((trips && *trips <= 0) || (start && !*start)) return 0;
  if (!start || !(trips || node.input(0) == ir::kNoValue)) return std::nullopt;
  const auto again = constant_truth(*form.body, form.body->outputs[0]);
  if ((trips && *trips == 1) || (again && !*again)) return 1;
  return std::nullopt;
}

class Simplifier {
 public:
  explicit Simplifier(ir::Graph& graph) : graph_(graph), reads_(graph.values.size(), 0) {
    for (const ir::Node& n : graph.nodes)
      for (ir::ValueId v : n.inputs)
        if (v != ir::kNoValue) ++reads_[v];
    for (ir::ValueId v : graph.outputs) ++reads_[v];
    for (const ir::State& s : graph.states) ++reads_[s.next];
  }

  bool run() {
    for (ir::Node& node : graph_.nodes) {
      if (!ir::is_control(node))
        kept_.push_back(std::move(node));
      else if (node.op == "If")
        simplify_if(std::move(node));
      else
        simplify_loop(std::move(node));
    }
    graph_.nodes = std::move(kept_);
    return changed_;
  }

 private:
  bool is_read(ir::ValueId v) const { return v != ir::kNoValue && (v >= reads_.size() || reads_[v] != 0); }

  void emit(const ir::Node& like, std::string_view op, std::int64_t version, std::vector<ir::ValueId> inputs,
            ir::ValueId output) {
    ir::Node node;
    node.op = op;
    node.version = version;
    node.stand_for(like);
    node.inputs = std::move(inputs);
    node.outputs = {output};
    kept_.push_back(std::move(node));
  }

  // `output` of the node is `value` now.
  void give_out(const ir::Node& node, ir::ValueId value, ir::ValueId output) {
    if (is_read(output)) emit(node, "Identity", 14, {value}, output);
  }

  // Makes inputs of a body, from `first` on, the constants that the node gives; input i is the node's i + shift.
  void take_constants(const ir::Node& node, ir::Graph& body, std::size_t first, std::size_t shift) {
    std::vector<bool> taken(body.inputs.size(), false);
    for (std::size_t i = first; i < body.inputs.size(); ++i) {
      const ir::ValueId outer = node.inputs[i + shift];
      if (!graph_.is_constant(outer)) continue;
      ir::Value& value = body.values[body.inputs[i]];
      value.type = graph_.values[outer].type;
      value.constant = graph_.values[outer].constant;
      taken[i] = changed_ = true;
    }
    erase_flagged(body.inputs, taken);
  }

  // Takes the constants among the node's inputs from `first` on away from it; how many there were.
  std::size_t drop_constants(ir::Node& node, std::size_t first) const {
    std::vector<bool> dropped(node.inputs.size(), false);
    for (std::size_t i = first; i < node.inputs.size(); ++i) dropped[i] = graph_.is_constant(node.inputs[i]);
    erase_flagged(node.inputs, dropped);
    return static_cast<std::size_t>(std::count(dropped.begin(), dropped.end(), true));
  }

  void simplify_if(ir::Node node) {
    const auto then_branch = ir::body_of(node, "then_branch");
    const auto else_branch = ir::body_of(node, "else_branch");
    for (ir::Graph* body : {then_branch.get(), else_branch.get()}) take_constants(node, *body, 0, 1);
    drop_constants(node, 1);
    if (const auto taken = constant_truth(graph_, node.inputs[0])) {
      const std::vector<ir::ValueId> captures(node.inputs.begin() + 1, node.inputs.end());
      const auto out = ir::inline_body(graph_, kept_, *taken ? *then_branch : *else_branch, captures);
      for (std::size_t k = 0; k < out.size(); ++k) give_out(node, out[k], node.outputs[k]);
      changed_ = true;
      return;
    }
    std::vector<bool> unread(node.outputs.size());
    for (std::size_t k = 0; k < unread.size(); ++k) unread[k] = !is_read(node.outputs[k]);
    for (auto* list : {&then_branch->outputs, &else_branch->outputs, &node.outputs}) erase_flagged(*list, unread);
    changed_ = changed_ || std::find(unread.begin(), unread.end(), true) != unread.end();
    if (!node.outputs.empty()) kept_.push_back(std::move(node));
  }

  void simplify_loop(ir::Node node) {
    ir::LoopForm form = ir::loop_form(node);
    take_constants(node, *form.body, form.first_capture(), 0);
    if (const std::size_t dropped = drop_constants(node, form.first_capture()); dropped != 0)
      node.attributes["captures"] = static_cast<std::int64_t>(form.captures -= dropped);
    if (unroll(node, form)) {
      changed_ = true;
      return;
    }
    capture_unchanged(node, form);
    drop_unread(node, form);
    if (form.is_scan) turn_axes(node, form);
    if (!node.outputs.empty()) kept_.push_back(std::move(node));
  }

  // No round, or one.
  bool unroll(const ir::Node& node, const ir::LoopForm& form) {
    const auto rounds = few_rounds(graph_, node, form);
    if (!rounds) return false;
    if (*rounds == 0) {
      for (std::size_t k = 0; k < form.stacked; ++k) {
        const ir::ValueId v = node.outputs[form.carried + k];
        if (v != ir::kNoValue && !graph_.values[v].type.is_static()) return false;
      }
      for (std::size_t k = 0; k < form.carried; ++k) give_out(node, node.inputs[form.first_input + k], node.outputs[k]);
      for (std::size_t k = 0; k < form.stacked; ++k)
        if (const ir::ValueId v = node.outputs[form.carried + k]; v != ir::kNoValue)
          graph_.values[v].constant.emplace();
      return true;
    }
    const auto out =
        ir::inline_body(graph_, kept_, *form.body, form.is_scan ? only_slices(node, form) : first(node, form));
    for (std::size_t k = 0; k < form.carried; ++k) give_out(node, out[form.first_output + k], node.outputs[k]);
    for (std::size_t k = 0; k < form.stacked; ++k)
      if (is_read(node.outputs[form.carried + k]))
        emit(node, "Unsqueeze", 13,
             {out[form.first_output + form.carried + k], constant_axis(axis_at(node, "scan_output_axes", k))},
             node.outputs[form.carried + k]);
    return true;
  }

  ir::ValueId constant_axis(std::int64_t axis) { return add_single(graph_, DType::i64, {1}, axis); }

  // The inputs of a Loop's body in its first round.
  std::vector<ir::ValueId> first(const ir::Node& node, const ir::LoopForm& form) {
    std::vector<ir::ValueId> arguments = node.inputs;
    auto dims = [&](std::size_t input) {
      const auto& stated = form.body->values[form.body->inputs[input]].type.dims;
      return stated && stated->size() == 1 ? std::vector<ir::Dim>{1} : std::vector<ir::Dim>{};
    };
    arguments[0] = add_single(graph_, DType::i64, dims(0), std::int64_t{0});
    arguments[1] = add_single(graph_, DType::boolean, dims(1), std::uint8_t{1});
    return arguments;
  }

  // The inputs of a Scan's body in its one round.
  std::vector<ir::ValueId> only_slices(const ir::Node& node, const ir::LoopForm& form) {
    std::vector<ir::ValueId> arguments = node.inputs;
    for (std::size_t k = 0; k < form.scanned; ++k) {
      const ir::ValueId slice = graph_.add_value({});
      emit(node, "Squeeze", 13, {arguments[form.carried + k], constant_axis(axis_at(node, "scan_input_axes", k))},
           slice);
      arguments[form.carried + k] = slice;
    }
    return arguments;
  }

  void capture_unchanged(ir::Node& node, ir::LoopForm& form) {
    ir::Graph& body = *form.body;
    const std::map<ir::ValueId, ir::ValueId> copies = copied_from(body);
    for (std::size_t k = form.carried; k-- > 0;) {
      const std::size_t input = form.first_input + k;
      const ir::ValueId v = body.inputs[input];
      ir::ValueId next = body.outputs[form.first_output + k];
      for (auto copy = copies.find(next); copy != copies.end(); copy = copies.find(next)) next = copy->second;
      if (next != v) continue;
      give_out(node, node.inputs[input], node.outputs[k]);
      node.inputs.push_back(node.inputs[input]);
      body.inputs.push_back(v);
      erase_at(node.inputs, input);
      erase_at(body.inputs, input);
      erase_at(node.outputs, k);
      erase_at(body.outputs, form.first_output + k);
      --form.carried;
      changed_ = true;
      node.attributes["captures"] = static_cast<std::int64_t>(++form.captures);
    }
  }

  void drop_unread(ir::Node& node, ir::LoopForm& form) {
    for (std::size_t k = form.stacked; k-- > 0;) {
      if (is_read(node.outputs[form.carried + k])) continue;
      for (const char* list : {"scan_output_axes", "scan_output_directions"}) {
        auto values = node.integers(list, {});
        if (values.size() != form.stacked) continue;
        erase_at(values, k);
        node.attributes[list] = std::move(values);
      }
      erase_at(node.outputs, form.carried + k);
      erase_at(form.body->outputs, form.first_output + form.carried + k);
      --form.stacked;
      changed_ = true;
    }
    // A carried value needs a place, even if nobody reads it in the end.
    for (ir::ValueId& v : node.outputs)
      if (v == ir::kNoValue) v = graph_.add_value({});
  }

  void turn_axes(ir::Node& node, const ir::LoopForm& form) {
    turn_inputs(node, form);
    const std::vector<std::int64_t> axes = node.integers("scan_output_axes", {});
    if (std::all_of(axes.begin(), axes.end(), [](std::int64_t a) { return a == 0; })) return;
    for (std::size_t k = 0; k < axes.size(); ++k)
      if (!graph_.values[node.outputs[form.carried + k]].type.is_static()) return;
    node.attributes.erase("scan_output_axes");
    changed_ = true;
    ir::Node behind = node;
    std::vector<std::pair<ir::ValueId, std::vector<std::int64_t>>> turned;
    std::vector<ir::ValueId> wanted;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (axes[k] == 0) continue;
      ir::ValueId& out = node.outputs[form.carried + k];
      ir::TensorType type = graph_.values[out].type;
      const auto rank = static_cast<std::int64_t>(type.dims->size());
      const auto axis = static_cast<std::size_t>(axes[k] < 0 ? axes[k] + rank : axes[k]);
      const ir::Dim rounds = (*type.dims)[axis];
      erase_at(*type.dims, axis);
      type.dims->insert(type.dims->begin(), rounds);
      std::vector<std::int64_t> perm(type.dims->size());
      for (std::size_t d = 0, next = 1; d < perm.size(); ++d)
        perm[d] = d == axis ? 0 : static_cast<std::int64_t>(next++);
      ir::Value value;
      value.type = std::move(type);
      wanted.push_back(out);
      out = graph_.add_value(std::move(value));
      turned.emplace_back(out, std::move(perm));
    }
    kept_.push_back(std::move(node));
    for (std::size_t i = 0; i < turned.size(); ++i) {
      emit(behind, "Transpose", 13, {turned[i].first}, wanted[i]);
      kept_.back().attributes["perm"] = std::move(turned[i].second);
    }
    node.outputs.clear();  // it is kept already
  }

  void turn_inputs(ir::Node& node, const ir::LoopForm& form) {
    std::vector<std::int64_t> axes = node.integers("scan_input_axes", {});
    for (std::size_t k = 0; k < axes.size(); ++k) {
      ir::ValueId& in = node.inputs[form.carried + k];
      const ir::TensorType& type = graph_.values[in].type;
      if (axes[k] == 0 || !type.is_static()) continue;
      const std::size_t rank = type.dims->size();
      const auto axis = static_cast<std::size_t>(axes[k] < 0 ? axes[k] + static_cast<std::int64_t>(rank) : axes[k]);
      std::vector<std::int64_t> perm = {static_cast<std::int64_t>(axis)};
      for (std::size_t d = 0; d < rank; ++d)
        if (d != axis) perm.push_back(static_cast<std::int64_t>(d));
      const ir::ValueId turned = graph_.add_value({});
      graph_.values[turned].type.quantisation = graph_.values[in].type.quantisation;
      emit(node, "Transpose", 13, {in}, turned);
      kept_.back().attributes["perm"] = std::move(perm);
      node.inputs[form.carried + k] = turned;
      axes[k] = 0;
      changed_ = true;
    }
    if (!axes.empty()) node.attributes["scan_input_axes"] = std::move(axes);
  }

  ir::Graph& graph_;
  std::vector<std::size_t> reads_;
  std::vector<ir::Node> kept_;
  bool changed_ = false;
};

// Rounds of the loops in a graph, one inside the other multiplied; more than the limit where they are not known.
std::int64_t rounds_in(const ir::Graph& graph);

// The rounds of the node itself, without its bodies.
std::int64_t own_rounds(const ir::Graph& graph, const ir::Node& node) {
  if (node.op == "If") return 1;
  std::int64_t own = kMostFoldedRounds + 1;
  if (node.op == "Loop") {
    own = constant_integer(graph, node.input(0)).value_or(own);
  } else {
    const ir::LoopForm form = ir::loop_form(node);
    const ir::TensorType& scanned = graph.values[node.inputs[form.carried]].type;
    if (scanned.is_static() && !scanned.dims->empty())
      own = *std::max_element(scanned.dims->begin(), scanned.dims->end());
  }
  return std::clamp<std::int64_t>(own, 0, kMostFoldedRounds + 1);
}

std::int64_t rounds_of(const ir::Graph& graph, const ir::Node& node) {
  std::int64_t inside = 1;
  for (const auto& body : ir::bodies(node)) inside += rounds_in(*body);
  const std::int64_t own = own_rounds(graph, node);
  return std::min(own * std::min(inside, kMostFoldedRounds + 1), kMostFoldedRounds + 1);
}

std::int64_t rounds_in(const ir::Graph& graph) {
  std::int64_t sum = 0;
  for (const ir::Node& node : graph.nodes)
    if (ir::is_control(node)) sum = std::min(sum + rounds_of(graph, node), kMostFoldedRounds + 1);
  return sum;
}

}  // namespace

std::optional<bool> constant_truth(const ir::Graph& graph, ir::ValueId v) {
  if (!graph.is_constant(v) || graph.values[v].type.dtype != DType::boolean) return std::nullopt;
  const auto bytes = graph.values[v].constant->bytes.bytes();
  if (bytes.size() != 1) return std::nullopt;
  return bytes[0] != std::byte{0};
}

bool simplify_control(ir::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), ir::is_control) && Simplifier(graph).run();
}

bool has_rounds(const ir::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
    const auto inside = ir::bodies(node);
    return node.is("", "Loop") || node.is("", "Scan") ||
           std::any_of(inside.begin(), inside.end(), [](const auto& body) { return has_rounds(*body); });
  });
}

void open_carried(ir::Graph& graph) {
  for (ir::Node& node : graph.nodes) {
    if (node.is("", "Loop") || node.is("", "Scan")) node.attributes[kOpenCarried] = std::int64_t{1};
    for (const auto& body : ir::bodies(node)) open_carried(*body);
  }
}

bool carried_shapes_hold(const ir::Graph& graph) {
  for (const ir::Node& node : graph.nodes) {
    for (const auto& body : ir::bodies(node))
      if (!carried_shapes_hold(*body)) return false;
    if (!node.is("", "Loop") && !node.is("", "Scan")) continue;
    const ir::LoopForm form = ir::loop_form(node);
    for (std::size_t k = 0; k < form.carried; ++k) {
      const ir::TensorType& in = form.body->values[form.body->inputs[form.first_input + k]].type;
      const ir::TensorType& out = form.body->values[form.body->outputs[form.first_output + k]].type;
      if (in.is_shaped() && out.dims != in.dims) return false;
    }
  }
  return true;
}

std::int64_t folded_rounds(const ir::Graph& graph, const ir::Node& node) {
  return ir::is_control(node) ? std::max<std::int64_t>(own_rounds(graph, node), 1) : 1;
}

namespace {

// True for a value that no node of the graph computes.
bool is_given(const ir::Graph& graph, ir::ValueId v) {
  return graph.values[v].is_state || std::find(graph.inputs.begin(), graph.inputs.end(), v) != graph.inputs.end();
}

}  // namespace

// Walks back from the condition: to inputs of the graph, to what runs a body, or to constants and shapes alone. Nodes
// are in order, so that the walk goes no farther than to the first of these: models have many Ifs.
std::optional<std::vector<ir::ValueId>> inputs_of_condition(const ir::Graph& graph, const ir::Node& if_node) {
  std::set<ir::ValueId> seen, open;
  std::vector<ir::ValueId> inputs;
  const auto see = [&](ir::ValueId v) {
    if (v == ir::kNoValue || graph.is_constant(v) || !seen.insert(v).second) return;
    if (is_given(graph, v))
      inputs.push_back(v);
    else
      open.insert(v);
  };
  see(if_node.input(0));
  const bool is_inside =
      !std::less<>()(&if_node, graph.nodes.data()) && std::less<>()(&if_node, graph.nodes.data() + graph.nodes.size());
  std::size_t at = is_inside ? static_cast<std::size_t>(&if_node - graph.nodes.data()) : graph.nodes.size();
  while (!open.empty() && at-- > 0) {
    const ir::Node& node = graph.nodes[at];
    std::size_t found = 0;
    for (const ir::ValueId v : node.outputs) found += open.erase(v);
    if (found == 0) continue;
    if (!ir::bodies(node).empty()) return std::nullopt;
    if (!node.is("", "Shape") && !node.is("", "Size")) std::for_each(node.inputs.begin(), node.inputs.end(), see);
  }
  inputs.insert(inputs.end(), open.begin(), open.end());
  return inputs;
}

bool will_choose(const ir::Graph& graph, const ir::Node& node) {
  if (!node.is("", "If")) return false;
  const auto inputs = inputs_of_condition(graph, node);
  return inputs && inputs->empty();
}

bool is_short(const ir::Graph& graph, const ir::Node& node) {
  for (const auto& body : ir::bodies(node))
    for (const ir::ValueId v : body->inputs)
      if (!body->values[v].type.is_static()) return false;
  return rounds_of(graph, node) <= kMostFoldedRounds;
}

}  // namespace byoc
