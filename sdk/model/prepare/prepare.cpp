#include "sdk/model/prepare/prepare.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/ir/rewrite.hpp"
#include "sdk/model/ir/verify.hpp"
#include "sdk/model/lift/qlinear.hpp"
#include "sdk/model/prepare/bound_inputs.hpp"
#include "sdk/model/prepare/bound_results.hpp"
#include "sdk/model/prepare/dissolve_held.hpp"
#include "sdk/model/prepare/expect_parameters.hpp"
#include "sdk/model/prepare/fold.hpp"
#include "sdk/model/prepare/lower_texts.hpp"
#include "sdk/model/prepare/set_inputs.hpp"
#include "sdk/model/prepare/settle_dropout.hpp"
#include "sdk/model/prepare/spatial_dims.hpp"
#include "sdk/model/prepare/stated_shapes.hpp"
#include "sdk/model/prepare/widen_moves.hpp"
#include "sdk/model/shapes/control_flow.hpp"

namespace byoc {
namespace {

// The expectation where only a run can tell types: an executor finds them.
std::string or_vm(const std::string& expected) { return expected + ", or --executor vm on a host"; }

std::string quoted_list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "'" : ", '") + n + "'";
  return out.empty() ? "none" : out;
}

// Symbols of this name; at least one, or an error.
std::vector<std::size_t> symbols_named(const ir::Graph& graph, const std::string& name, Diagnostics& diags) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < graph.symbols.size(); ++i)
    if (graph.symbols[i] == name) out.push_back(i);
  if (out.empty())
    diags.error(graph.file, {}, "the model has no open dimension of this name", name, quoted_list(graph.symbols));
  return out;
}

// Puts the bound lengths in the place of their symbols.
Result<void> bind_dims(ir::Graph& graph, const std::map<std::string, std::int64_t>& bindings, Diagnostics& diags) {
  bool ok = true;
  std::vector<std::optional<std::int64_t>> lengths(graph.symbols.size());
  for (const auto& [name, length] : bindings) {
    const std::vector<std::size_t> symbols = symbols_named(graph, name, diags);
    for (const std::size_t s : symbols) lengths[s] = length;
    if (length < 0)
      diags.error(graph.file, {}, "dimension '" + name + "' is negative", std::to_string(length), "0 or more");
    ok = ok && !symbols.empty() && length >= 0;
  }
  if (!ok) return failure;
  for (ir::Value& v : graph.values) {
    if (!v.type.dims) continue;
    for (ir::Dim& d : *v.type.dims) {
      const auto symbol = static_cast<std::size_t>(-1 - d);
      if (ir::is_open(d) && symbol < lengths.size() && lengths[symbol]) d = *lengths[symbol];
    }
  }
  return {};
}

Result<void> set_ranges(ir::Graph& graph, const std::map<std::string, DimRange>& ranges, Diagnostics& diags) {
  for (const auto& [name, range] : ranges) {
    if (range.least < 0 || range.most < range.least)
      return diags.error(graph.file, {}, "dimension '" + name + "' has no range of lengths",
                         std::to_string(range.least) + " to " + std::to_string(range.most), "from 0 on, upwards");
    const std::vector<std::size_t> symbols = symbols_named(graph, name, diags);
    if (symbols.empty()) return failure;
    graph.ranges.resize(graph.symbols.size());
    for (const std::size_t s : symbols) graph.ranges[s] = range;
  }
  return {};
}

std::string describe(const ir::Graph& graph, ir::ValueId v) {
  return graph.values[v].name.empty() ? "value %" + std::to_string(v) : graph.values[v].name;
}

// Reports each open dim of a value; returns whether there was one.
bool report_open_dims(const ir::Graph& graph, ir::ValueId v, Diagnostics& diags) {
  bool open = false;
  const ir::TensorType& type = graph.values[v].type;
  if (!type.dims) return false;
  for (std::size_t d = 0; d < type.dims->size(); ++d) {
    if (!ir::is_open((*type.dims)[d])) continue;
    open = true;
    const std::string& symbol = graph.symbols[static_cast<std::size_t>(-1 - (*type.dims)[d])];
    diags.error(graph.file, describe(graph, v), "dimension " + std::to_string(d) + " is open",
                "'" + symbol + "' in " + to_string(type, graph),
                or_vm("a length, bound with --dim " + symbol + "=LENGTH"));
  }
  return open;
}

// Reports the nodes whose results have a shape that only a run can tell; returns whether there was one.
bool report_run_time_shapes(const ir::Graph& graph, Diagnostics& diags) {
  bool found = false;
  for (const ir::Node& node : graph.nodes) {
    if (!ir::has_trait(node, ir::kRunTimeShape)) continue;
    const bool open = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ir::ValueId v) {
      return v != ir::kNoValue && !graph.values[v].type.is_static();
    });
    if (!open) continue;
    found = true;
    diags.error(graph.file, node.describe(), "its result has a shape that is known only at run time",
                to_string(graph.values[node.outputs[0]].type, graph),
                or_vm("operands that are constants, or that nothing but the user reads it"));
  }
  return found;
}

// Reports the first output of an If whose branches give it different shapes; returns whether there was one.
bool report_branches(const ir::Graph& graph, Diagnostics& diags) {
  for (const ir::Node& node : graph.nodes) {
    if (!node.is("", "If")) continue;
    const ir::Graph &a = *ir::body_of(node, "then_branch"), &b = *ir::body_of(node, "else_branch");
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      const ir::TensorType &one = a.values[a.outputs[k]].type, &other = b.values[b.outputs[k]].type;
      if (!one.is_static() || !other.is_static() || one.dims == other.dims) continue;
      diags.error(graph.file, node.describe(),
                  "the branches give output " + std::to_string(k) +
                      " different types, so that it would be known only at run time",
                  to_string(one, a), or_vm(to_string(other, b)));
      return true;
    }
  }
  return false;
}

// Open inputs are the cause of open values behind them, so they alone are reported where there are any.
Result<void> check_types_known(const ir::Graph& graph, Diagnostics& diags);

Result<void> check_bodies_known(const ir::Graph& graph, Diagnostics& diags) {
  for (const ir::Node& node : graph.nodes)
    for (const auto& body : ir::bodies(node))
      if (!check_types_known(*body, diags)) return failure;
  return {};
}

std::string after_colon(const std::string& text) { return text.empty() ? "" : ": " + text; }

// The node of an operator that only a codegen knows which computes `v`; null if there is none.
const ir::Node* foreign_producer(const ir::Graph& graph, ir::ValueId v) {
  for (const ir::Node& node : graph.nodes)
    if (ir::is_foreign(node.domain, node.op) && std::count(node.outputs.begin(), node.outputs.end(), v) != 0)
      return &node;
  return nullptr;
}

// The kind of a type that only hosts support, for messages; null for a tensor of numbers.
const char* kind_for_hosts(const ir::TensorType& type) {
  switch (type.container) {
    case ir::Container::sequence: return "a sequence";
    case ir::Container::optional:
    case ir::Container::optional_sequence: return "an optional";
    case ir::Container::tensor: break;
  }
  return type.dtype == DType::string ? "a tensor of strings" : nullptr;
}

bool report_kinds_for_hosts(const ir::Graph& graph, Diagnostics& diags) {
  for (ir::ValueId v = 0; v < graph.values.size(); ++v) {
    const char* kind = kind_for_hosts(graph.values[v].type);
    if (kind == nullptr) continue;
    const bool is_input = std::find(graph.inputs.begin(), graph.inputs.end(), v) != graph.inputs.end();
    diags.error(graph.file, describe(graph, v),
                std::string("is ") + kind + ", which only an executor for hosts takes, that finds types while it runs",
                to_string(graph.values[v].type, graph),
                or_vm(is_input ? "room for it, as in --bound " + describe(graph, v) + "=8" : "tensors of numbers"));
    return true;
  }
  return false;
}

Result<void> check_types_known(const ir::Graph& graph, Diagnostics& diags) {
  if (report_kinds_for_hosts(graph, diags)) return failure;
  bool open = false;
  for (const ir::ValueId v : graph.inputs) open = report_open_dims(graph, v, diags) || open;
  if (open || report_branches(graph, diags) || report_run_time_shapes(graph, diags)) return failure;
  bool ok = true;
  for (ir::ValueId v = 0; v < graph.values.size(); ++v) {
    const ir::TensorType& type = graph.values[v].type;
    if (type.is_static()) continue;
    ok = false;
    if (const ir::Node* node = foreign_producer(graph, v);
        node != nullptr && (!type.dims || type.dtype == DType::undefined))
      diags.error(graph.file, node->describe(),
                  "operator is not supported, and the model does not state the type of '" + describe(graph, v) + "'" +
                      after_colon(ir::compiled_before(*node)),
                  node->domain + "." + node->op + " version " + std::to_string(node->version),
                  "a known operator, or one of a codegen's with a stated element type and shape (value_info)");
    else if (!report_open_dims(graph, v, diags))
      diags.error(graph.file, describe(graph, v), "its type could not be found from the model", to_string(type, graph),
                  or_vm("a known element type and shape"));
  }
  if (!ok) return failure;
  return check_bodies_known(graph, diags);
}

// A measure of the graph. While it changes, another round of the passes can find more.
struct Progress {
  std::size_t nodes = 0;
  std::size_t operands = 0;
  std::size_t constants = 0;
  std::size_t known = 0;
  bool operator==(const Progress&) const = default;
};

Progress measure(const ir::Graph& graph) {
  Progress p{graph.nodes.size(), 0, 0, 0};
  for (const ir::Node& node : graph.nodes) {
    p.operands += node.inputs.size() + node.outputs.size();
    for (const auto& body : ir::bodies(node)) {
      const Progress inside = measure(*body);
      p.nodes += inside.nodes;
      p.operands += inside.operands;
      p.constants += inside.constants;
      p.known += inside.known;
    }
  }
  for (const ir::Value& v : graph.values) {
    p.constants += v.constant ? 1 : 0;
    p.known += (v.type.dtype != DType::undefined ? 1U : 0U) + (v.type.is_shaped() ? 1U : 0U);
  }
  return p;
}

// True if every type is known, in bodies too. Lifting relies on it.
bool all_static(const ir::Graph& graph) {
  return std::all_of(graph.values.begin(), graph.values.end(), [](const ir::Value& v) { return v.type.is_static(); }) &&
         std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
           const auto inside = ir::bodies(node);
           return std::all_of(inside.begin(), inside.end(), [](const auto& body) { return all_static(*body); });
         });
}

// An error inside of an If may be in a branch that no run of the user's takes: which inputs choose it.
void tell_what_chooses(const ir::Graph& graph, Diagnostics& diags) {
  for (const ir::Node& node : graph.nodes) {
    const auto fits = [&](const auto& branch) { return all_static(*branch); };
    const auto is_known = [&](ir::ValueId v) { return graph.values[v].type.is_static(); };
    const auto branches = ir::bodies(node);
    if (!node.is("", "If") || std::all_of(branches.begin(), branches.end(), fits) ||
        !std::all_of(node.inputs.begin(), node.inputs.end(), is_known))
      continue;
    const auto chosen_by = inputs_of_condition(graph, node).value_or(std::vector<ir::ValueId>{});
    if (std::any_of(chosen_by.begin(), chosen_by.end(), [&](ir::ValueId v) { return graph.values[v].is_state; }))
      continue;  // no setting settles it
    std::string settings;
    for (const ir::ValueId v : chosen_by)
      settings += (settings.empty() ? "--set " : " --set ") + graph.values[v].name + "=VALUE";
    if (!settings.empty())
      diags.add({Level::note,
                 graph.file,
                 node.describe(),
                 settings + " takes one of its branches, and leaves the other",
                 {},
                 {}});
  }
}

// Shapes bring constants (Shape, Size ...) and constants bring shapes (Reshape, Slice ...).
Result<void> infer_and_fold(ir::Graph& graph, FoldDequantise dequantise, FoldBudget& budget, Diagnostics& diags) {
  Progress before;
  do {
    before = measure(graph);
    if (!infer_shapes(graph, diags)) {
      tell_what_chooses(graph, diags);
      return failure;
    }
    dissolve_held(graph);
    settle_dropout(graph);
    widen_moves(graph);
    take_spatial_dims(graph);
    if (!fold(graph, dequantise, budget, diags)) return failure;
  } while (measure(graph) != before);
  return {};
}

// Inference for an executor that finds types while it runs. It first assumes that carried tensors keep their shapes:
// most do, and nodes with known shapes can be compiled. If a shape changes after all, the graph is inferred again
// without the assumption.
Result<void> infer_with_rounds(ir::Graph& graph, FoldBudget& budget, Diagnostics& diags) {
  if (!has_rounds(graph)) return infer_and_fold(graph, FoldDequantise::no, budget, diags);
  ir::Graph start = graph;
  ir::own_bodies(start);
  const FoldBudget whole = budget;
  Diagnostics supposed;
  if (infer_and_fold(graph, FoldDequantise::no, budget, supposed) && carried_shapes_hold(graph)) {
    for (const Diagnostic& d : supposed.all()) diags.add(d);
    return {};
  }
  graph = std::move(start);
  budget = whole;
  open_carried(graph);
  return infer_and_fold(graph, FoldDequantise::no, budget, diags);
}

// True if some operator is written on integers with scales beside them.
bool is_quantised_literally(const ir::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
    if (node.is("", "QuantizeLinear") || node.is("", "DequantizeLinear") || lift::is_qlinear(node)) return true;
    const auto inside = ir::bodies(node);
    return std::any_of(inside.begin(), inside.end(), [](const auto& body) { return is_quantised_literally(*body); });
  });
}

// Lifts a graph whose types are known, and simplifies it.
Result<void> lift_and_clean(ir::Graph& graph, const SourceNodes& literal, FoldBudget& budget, Diagnostics& diags) {
  if (!lift_quantisation(graph, literal, budget, diags)) return failure;
  if (!infer_and_fold(graph, FoldDequantise::yes, budget, diags)) return failure;
  remove_neutral(graph);
  return ir::verify(graph, diags);
}

// Outputs that hold tensors, and strings, become tensors.
Result<void> bound_rest(ir::Graph& graph, const Bounds& room, FoldBudget& budget, Diagnostics& diags) {
  const Result<bool> gives = bound_outputs(graph, diags);
  if (!gives || (*gives && !infer_and_fold(graph, FoldDequantise::no, budget, diags))) return failure;
  if (lower_texts(graph, room) && !infer_and_fold(graph, FoldDequantise::no, budget, diags)) return failure;
  return {};
}

}  // namespace

Result<ir::Graph> lift_again(const ir::Graph& graph, const SourceNodes& literal, Diagnostics& diags) {
  ir::Graph again = *graph.literal;
  ir::own_bodies(again);
  FoldBudget budget(graph.fold_limit);
  if (!lift_and_clean(again, literal, budget, diags)) return failure;
  again.literal = graph.literal;
  return again;
}

Result<void> prepare(ir::Graph& graph, const PrepareOptions& options, Diagnostics& diags) {
  ir::own_bodies(graph);
  graph.fold_limit = options.fold_limit;
  FoldBudget budget(options.fold_limit);
  if (!ir::verify(graph, diags) || !bind_dims(graph, options.dims, diags) ||
      !set_ranges(graph, options.dim_ranges, diags) || !set_inputs(graph, options.inputs, diags))
    return failure;
  const auto room = parse_bounds(graph, options.bounds, diags);
  if (!room || (!options.open_types && !bound_inputs(graph, *room, diags))) return failure;
  if (options.open_types ? !infer_with_rounds(graph, budget, diags)
                         : !infer_and_fold(graph, FoldDequantise::no, budget, diags))
    return failure;
  if (!options.open_types && !bound_rest(graph, *room, budget, diags)) return failure;
  ir::remove_dead(graph);
  if (options.bound_shapes && !options.open_types) {
    if (take_stated_shapes(graph) && !infer_and_fold(graph, FoldDequantise::no, budget, diags)) return failure;
    const bool expects = expect_parameters(graph), bounds = bound_results(graph);
    if ((expects || bounds) && !infer_and_fold(graph, FoldDequantise::no, budget, diags)) return failure;
  }
  if (!options.open_types && !check_types_known(graph, diags)) return failure;
  const bool lift = options.lift && (!options.open_types || all_static(graph));
  if (lift && is_quantised_literally(graph)) {
    auto literal = std::make_shared<ir::Graph>(graph);
    ir::own_bodies(*literal);
    graph.literal = std::move(literal);
  }
  if (lift) return lift_and_clean(graph, {}, budget, diags);
  if (!infer_and_fold(graph, FoldDequantise::yes, budget, diags)) return failure;
  remove_neutral(graph);
  return ir::verify(graph, diags);
}

}  // namespace byoc
