// The location of every value of the model at run time: the caller's buffers, constants, and planned workspaces, one
// for each RAM pool of the target that is used. Internal to this folder; a Program (program.hpp) has it resolved.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/program/plan/memory.hpp"

namespace byoc::plan {

struct Location {
  Place place = Place::workspace;
  std::uint32_t index = 0;   // input or output; the value that is the constant; the RAM pool of a workspace
  std::uint64_t offset = 0;  // bytes from the start of that buffer
};

// The move of a state's next value to the state.
struct Commit {
  Location to;
  Location from;
  std::uint64_t bytes = 0;
};

// A value that the next round reads under another name: a state and what it becomes, an input of a loop's body and the
// output that it is next time. `in_place`: the second may be written where the first lies.
struct Carried {
  ir::ValueId value = ir::kNoValue;
  ir::ValueId next = ir::kNoValue;
  bool in_place = false;
};

// A graph output whose bytes are made elsewhere: an input, a constant, or another output.
struct OutputCopy {
  std::uint32_t output = 0;
  ir::ValueId source = ir::kNoValue;
};

struct ControlPlan;

struct Schedule {
  std::vector<ir::ValueId> storage;  // for each graph value the value whose bytes it is (aliases resolved)
  std::vector<Location> values;      // for each graph value; meaningful for those some step touches, inputs, outputs
  std::vector<Location> private_values;
  std::vector<std::vector<Location>> workspaces;  // for each step
  std::vector<OutputCopy> copies;                 // after the last step, in order
  std::vector<Commit> commits;                    // after these, in order: states that were not written in place
  std::vector<Carried> carried;                   // of the model's graph its states, of a body what was asked for
  std::map<std::uint32_t, ControlPlan> control;   // by step: those that are an If, a Loop or a Scan
  std::vector<std::vector<std::uint64_t>> workspace_bytes;  // for each step
  std::vector<bool> overwritten;                            // for each graph input, whether its buffer is reused
  Problem problem;  // behind the pools of ram_pools(target) those of reused inputs
  Plan plan;        // its pools are ram_pools(target)
  std::uint32_t instance_pool = 0;
};

// The bodies of a control node: then_branch and else_branch, or body. All of them use the same bytes.
struct ControlPlan {
  std::vector<Schedule> bodies;
  std::vector<std::uint64_t> second;  // of a loop: for each carried value where its second buffer is, if it has one
  std::vector<PoolUse> pools;         // the step's workspaces: one in pool 0, and one in each other pool with bytes
};

// Implements make_program() (sdk/program/plan/program.hpp).
Result<Schedule> make_schedule(const ir::Graph& graph, const plugin::Compilation& compilation, const TargetSpec& target,
                               Diagnostics&, bool reuse_inputs = false);
// As make_schedule(), for a body, whose steps are compilation.bodies.at(&graph). It finds out for each of `carried`
// whether the body may be called with one buffer for both. The workspace is part of a step of the graph around it.
Result<Schedule> make_body_schedule(const ir::Graph& graph, const plugin::Compilation& compilation,
                                    const TargetSpec& target, std::vector<Carried> carried, Diagnostics&);

}  // namespace byoc::plan
