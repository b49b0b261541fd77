// Control flow: an If, Loop or Scan is one step, whose workspace holds what its bodies need.
#pragma once

#include <functional>
#include <string>

#include "sdk/base/support/name_table.hpp"
#include "sdk/program/plan/schedule.hpp"

namespace byoc::plan {

// The position of a node among the regions of its graph (plugin::Step::order).
using NodeOrder = std::function<std::uint32_t(const ir::Graph&, ir::NodeId)>;

// Makes a step of each control node, in all graphs of the model, which `executor` runs itself; plugin::order_steps()
// puts them among the others.
void add_control_steps(const ir::Graph& graph, const std::string& prefix, const NodeOrder& order, NameTable& names,
                       const std::string& executor, plugin::Compilation& compilation);

// The steps and aliases of a graph of the model; nothing where no codegen made any.
[[nodiscard]] const plugin::GraphPart& part_of(const plugin::Compilation& compilation, const ir::Graph& graph,
                                               const ir::Graph& root);

// Calls f(graph) for the model's graph and, in order, for every body in it.
template <class F>
void for_each_graph(const ir::Graph& graph, F&& f) {
  f(graph);
  for (const ir::Node& node : graph.nodes)
    for (const auto& body : ir::bodies(node)) for_each_graph(*body, f);
}

// Schedules the bodies of a control node and lays out the step's workspace.
Result<ControlPlan> plan_control(const ir::Node& node, const plugin::Compilation& compilation, const TargetSpec& target,
                                 Diagnostics& diags);

}  // namespace byoc::plan
