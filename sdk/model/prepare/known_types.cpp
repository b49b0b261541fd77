#include "sdk/model/prepare/known_types.hpp"

#include <algorithm>
#include <string>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/shapes/control_flow.hpp"

namespace byoc {
namespace {

// The expectation where only a run can tell types: an executor finds them.
std::string or_vm(const std::string& expected) { return expected + ", or --executor vm on a host"; }

std::string after_colon(const std::string& text) { return text.empty() ? "" : ": " + text; }

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

Result<void> check_bodies_known(const ir::Graph& graph, Diagnostics& diags) {
  for (const ir::Node& node : graph.nodes)
    for (const auto& body : ir::bodies(node))
      if (!check_types_known(*body, diags)) return failure;
  return {};
}

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

}  // namespace

bool all_static(const ir::Graph& graph) {
  return std::all_of(graph.values.begin(), graph.values.end(), [](const ir::Value& v) { return v.type.is_static(); }) &&
         std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
           const auto inside = ir::bodies(node);
           return std::all_of(inside.begin(), inside.end(), [](const auto& body) { return all_static(*body); });
         });
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

}  // namespace byoc
