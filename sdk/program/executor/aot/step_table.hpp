// The table of a model's steps for programs that load it (byoc/rt/steps.h). Internal to this folder.
#pragma once

#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// C source that defines <prefix>_step_table, a wrapper for each step of the model's graph, and where its operands are.
[[nodiscard]] std::string step_table_text(const PrintRequest& request);

// A second table for a root that calls byoc_trace(), in one source with it. It is <prefix>_step_watched, because the
// library may have the other table. Then the data for a program that calls the steps one by one in memory of its own
// (sdk/run/simulate/firmware/watch.c):
//   const uint8_t <prefix>_step_keeps[]       for each output of each step: 1 if bytes may be there before, because the
//                                             step writes only a part of them, 0 if the step writes all of them
//   unsigned char <prefix>_step_arena[]       room for the operands and workspaces of any one step
//   const uint64_t <prefix>_step_arena_bytes  its size
[[nodiscard]] std::string watched_steps_text(const PrintRequest& request);

}  // namespace byoc::executor
