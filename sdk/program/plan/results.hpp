// Facts about steps for reports and tensor dumps. Internal to this folder.
#pragma once

#include "sdk/program/plan/program.hpp"
#include "sdk/program/plan/schedule.hpp"

namespace byoc::plan {

// Facts about one step, without live_bytes and results.
[[nodiscard]] StepInfo describe(const ir::Graph& graph, const plugin::Step& step,
                                const plugin::Compilation& compilation);

// Adds these to the steps of the model's own graph.
void add_results(const ir::Graph& graph, const plugin::Compilation& compilation, const Schedule& schedule,
                 Routine& main);

}  // namespace byoc::plan
