// Where every value of the model is at run time: the caller's buffers, constants, and one planned workspace.
#pragma once

#include <cstdint>
#include <vector>

#include "sdk/executor/interface.hpp"
#include "sdk/plan/plan.hpp"
#include "sdk/plugin/compilation.hpp"

namespace byoc::executor {

struct Location {
  Place place = Place::workspace;
  std::uint32_t index = 0;   // input or output
  std::uint64_t offset = 0;  // bytes from the start of that buffer
};

// A graph output whose bytes are made elsewhere: an input, a constant, or another output.
struct OutputCopy {
  std::uint32_t output = 0;
  ir::ValueId source = ir::kNoValue;
};

struct Schedule {
  std::vector<ir::ValueId> storage;  // for each graph value the value whose bytes it is (aliases resolved)
  std::vector<Location> values;      // for each graph value; meaningful for those some step touches, inputs, outputs
  std::vector<Location> private_values;
  std::vector<std::vector<std::uint64_t>> workspaces;  // for each step, offsets of its workspaces
  std::vector<OutputCopy> copies;                      // after the last step, in order
  plan::Problem problem;
  plan::Plan plan;
};

// Plans memory over all steps and has the plan verified. Errors: a step reads what nothing has computed before it, a
// step writes an input or a constant, a workspace that cannot live in the target's first RAM pool, a model too large
// for that pool.
Result<Schedule> make_schedule(const ir::Graph& graph, const plugin::Compilation& compilation, const TargetSpec& target,
                               Diagnostics&);

}  // namespace byoc::executor
