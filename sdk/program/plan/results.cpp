#include "sdk/program/plan/results.hpp"

#include <algorithm>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/kind.hpp"
#include "sdk/program/plan/control.hpp"

namespace byoc::plan {
namespace {

StoredTensor stored(const ir::Graph& graph, ir::ValueId v) {
  const ir::Value& value = graph.values[v];
  StoredTensor t;
  t.value = v;
  t.name = value.name;
  t.source_index = value.source_index;
  t.dtype = value.type.dtype;
  t.dims = *value.type.dims;
  t.bytes = value.type.bytes();
  return t;
}

// The step after which each storage value and each private value is complete; -1: none computes it.
struct Completion {
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> private_values;
};

Completion completion(const ir::Graph& graph, const plugin::Compilation& compilation, const Schedule& schedule) {
  Completion out;
  out.values.assign(graph.values.size(), -1);
  out.private_values.assign(compilation.private_values.size(), -1);
  for (std::size_t s = 0; s < compilation.steps.size(); ++s)
    for (const plugin::StepOperand& o : compilation.steps[s].outputs) {
      if (o.value == ir::kNoValue)
        out.private_values[o.private_value] = static_cast<std::int64_t>(s);
      else
        out.values[schedule.storage[o.value]] = static_cast<std::int64_t>(s);
    }
  return out;
}

}  // namespace

StepInfo describe(const ir::Graph& graph, const plugin::Step& step, const plugin::Compilation& compilation) {
  StepInfo info;
  info.symbol = step.decl.symbol;
  info.kernel = step.decl.kernel;
  info.codegen = step.codegen;
  info.macs = step.decl.macs;
  info.estimated_instructions = step.decl.instructions;
  info.kernel_bytes = step.decl.kernel_bytes;
  info.remark = step.decl.remark;
  info.failure = step.decl.failure;
  for (const codegen::Workspace& w : step.decl.workspaces) info.workspace_bytes += w.bytes;
  for (const ir::NodeId n : step.nodes) {
    info.nodes.push_back(ir::describe_kind(graph, graph.nodes[n]));
    for (const auto& body : ir::bodies(graph.nodes[n]))
      for_each_graph(*body, [&](const ir::Graph& g) {
        for (const ir::Node& inner : g.nodes) info.nodes.push_back(ir::describe_kind(g, inner));
      });
  }
  for (const std::uint32_t c : step.constants) info.constant_bytes += compilation.constants[c].bytes.size();
  return info;
}

void add_results(const ir::Graph& graph, const plugin::Compilation& compilation, const Schedule& schedule,
                 Routine& main) {
  for (std::uint32_t p = 0; p < schedule.plan.pools.size(); ++p) {
    const std::vector<std::uint64_t> live = live_bytes(schedule.problem, p);
    for (std::size_t s = 0; s < main.calls.size(); ++s) main.calls[s].step.live_bytes += live[s];
  }
  if (main.calls.empty()) return;
  std::vector<bool> is_input(graph.values.size(), false);
  for (const ir::ValueId v : graph.inputs) is_input[v] = true;
  const Completion complete = completion(graph, compilation, schedule);
  for (ir::ValueId v = 0; v < graph.values.size(); ++v) {
    if (graph.is_constant(v) || compilation.fused.contains(v) || is_input[v]) continue;
    StoredTensor t = stored(graph, v);
    std::int64_t step = -1;
    Location location;
    if (const auto p = compilation.stored_privately.find(v); p != compilation.stored_privately.end()) {
      step = complete.private_values[p->second.private_value];
      location = schedule.private_values[p->second.private_value];
      location.offset += p->second.base;
      t.strides = p->second.strides;
    } else {
      const ir::ValueId storage = schedule.storage[v];
      location = schedule.values[storage];
      if (location.place == Place::constant) continue;
      step = is_input[storage] ? 0 : complete.values[storage];
    }
    if (step < 0) continue;
    t.place = location.place;
    t.index = location.place == Place::workspace ? main.workspace_index(location.index) : location.index;
    t.offset = location.offset;
    main.calls[static_cast<std::size_t>(step)].step.results.push_back(std::move(t));
  }
}

}  // namespace byoc::plan
