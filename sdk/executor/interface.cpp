#include "sdk/executor/interface_of.hpp"

#include <algorithm>

#include "sdk/plan/control.hpp"
#include "sdk/plan/instance.hpp"
#include "sdk/plan/ram_pools.hpp"
#include "sdk/support/name_table.hpp"

namespace byoc::executor {
namespace {

std::vector<IoTensor> io_tensors(const ir::Graph& graph, const std::vector<ir::ValueId>& ids) {
  NameTable fields;
  std::vector<IoTensor> out;
  for (ir::ValueId v : ids) {
    const ir::Value& value = graph.values[v];
    IoTensor t;
    t.name = value.name;
    t.field = fields.claim(value.name.empty() ? "tensor" : value.name);
    t.dtype = value.type.dtype;
    t.dims = *value.type.dims;
    t.bytes = value.type.bytes();
    if (value.type.quantisation) t.quantisation = *value.type.quantisation;
    out.push_back(std::move(t));
  }
  return out;
}

StoredTensor describe(const ir::Graph& graph, ir::ValueId v) {
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

// The step after which each storage value and each private value is complete.
struct Completion {
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> private_values;
};

Completion completion(const AotRequest& request) {
  Completion out;
  out.values.assign(request.graph.values.size(), -1);
  out.private_values.assign(request.compilation.private_values.size(), -1);
  for (std::size_t s = 0; s < request.compilation.steps.size(); ++s)
    for (const plugin::StepOperand& o : request.compilation.steps[s].outputs) {
      if (o.value == ir::kNoValue)
        out.private_values[o.private_value] = static_cast<std::int64_t>(s);
      else
        out.values[request.schedule.storage[o.value]] = static_cast<std::int64_t>(s);
    }
  return out;
}

void add_results(const AotRequest& request, std::vector<StepInfo>& steps) {
  if (steps.empty()) return;
  const Completion complete = completion(request);
  for (ir::ValueId v = 0; v < request.graph.values.size(); ++v) {
    if (request.graph.is_constant(v) || request.compilation.fused.contains(v)) continue;
    if (std::find(request.graph.inputs.begin(), request.graph.inputs.end(), v) != request.graph.inputs.end()) continue;
    StoredTensor t = describe(request.graph, v);
    std::int64_t step = -1;
    plan::Location location;
    if (const auto p = request.compilation.stored_privately.find(v); p != request.compilation.stored_privately.end()) {
      step = complete.private_values[p->second.private_value];
      location = request.schedule.private_values[p->second.private_value];
      location.offset += p->second.base;
      t.strides = p->second.strides;
    } else {
      const ir::ValueId storage = request.schedule.storage[v];
      location = request.schedule.values[storage];
      if (location.place == Place::constant) continue;
      const bool is_input =
          std::find(request.graph.inputs.begin(), request.graph.inputs.end(), storage) != request.graph.inputs.end();
      step = is_input ? 0 : complete.values[storage];
    }
    if (step < 0) continue;
    t.place = location.place;
    t.index = location.place == Place::workspace ? request.schedule.workspace_index(location.index) : location.index;
    t.offset = location.offset;
    steps[static_cast<std::size_t>(step)].results.push_back(std::move(t));
  }
}

std::vector<StepInfo> step_infos(const AotRequest& request) {
  std::vector<std::vector<std::uint64_t>> live;
  for (std::uint32_t p = 0; p < request.schedule.plan.pools.size(); ++p)
    live.push_back(plan::live_bytes(request.schedule.problem, p));
  std::vector<StepInfo> out;
  for (std::size_t s = 0; s < request.compilation.steps.size(); ++s) {
    const plugin::Step& step = request.compilation.steps[s];
    StepInfo info;
    info.symbol = step.decl.symbol;
    info.kernel = step.decl.kernel;
    info.codegen = step.codegen;
    info.macs = step.decl.macs;
    info.estimated_instructions = step.decl.instructions;
    info.kernel_bytes = step.decl.kernel_bytes;
    info.remark = step.decl.remark;
    for (const codegen::Workspace& w : step.decl.workspaces) info.workspace_bytes += w.bytes;
    for (const auto& of_pool : live) info.live_bytes += of_pool[s];
    for (ir::NodeId n : step.nodes) {
      info.nodes.push_back(request.graph.nodes[n].describe());
      for (const auto& body : ir::bodies(request.graph.nodes[n]))
        plan::for_each_graph(*body, [&](const ir::Graph& g) {
          for (const ir::Node& inner : g.nodes) info.nodes.push_back(inner.describe());
        });
    }
    for (std::uint32_t c : step.constants) info.constant_bytes += request.compilation.constants[c].bytes.size();
    out.push_back(std::move(info));
  }
  add_results(request, out);
  return out;
}

}  // namespace

ModelInterface interface_of(const AotRequest& request) {
  ModelInterface out;
  out.prefix = request.prefix;
  out.name = request.graph.name;
  out.inputs = io_tensors(request.graph, request.graph.inputs);
  for (std::size_t i = 0; i < out.inputs.size(); ++i) {
    if (!request.schedule.overwritten[i]) continue;
    out.inputs[i].overwritten = true;
    out.inputs[i].align = plan::kValueAlign;
  }
  out.outputs = io_tensors(request.graph, request.graph.outputs);
  const plan::PoolUse& pool = request.schedule.plan.pools[0];
  out.workspace_bytes = pool.bytes;
  out.workspace_align = pool.align;
  out.workspace_lower_bound = pool.lower_bound;
  const std::vector<plan::RamPool> pools = plan::ram_pools(request.target);
  for (std::size_t p = 1; p < pools.size(); ++p) {
    const plan::PoolUse& use = request.schedule.plan.pools[p];
    if (use.bytes != 0)
      out.further_workspaces.push_back(
          {pools[p].name, pools[p].field, pools[p].section, use.bytes, use.align, use.lower_bound});
  }
  out.steps = step_infos(request);
  for (const plugin::ConstantArtifact& c : request.compilation.constants)
    if (c.decl.model_data) out.weight_bytes += c.bytes.size();
  const plan::InstanceLayout layout = plan::instance_layout(request.graph, request.compilation.instances);
  out.instance_bytes = layout.bytes;
  out.instance_align = layout.align;
  return out;
}

}  // namespace byoc::executor
