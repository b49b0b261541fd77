// Runs of models that this machine interprets: in this process, or a library's in one of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "byoc/vm.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/helper_program.hpp"

namespace byoc::api {

struct HostRuns {
  std::span<const HostValue> values;  // of the inputs of all runs, run by run
  bool reset = false;                 // the state, between runs
  std::uint32_t repeat = 0;           // further runs of the last inputs, each timed
  std::uint32_t threads = 0;          // that share steps; 0: none were asked for
  HostLimits limits;
};

struct HostResults {
  std::vector<std::vector<HostValue>> results;  // by run, then by output
  std::vector<std::uint64_t> times;             // nanoseconds of each repetition
};

// Errors: those of HostModel::run().
[[nodiscard]] Result<HostResults> run_here(const HostModel& model, const HostRuns& runs, Diagnostics& diags);

// As run_here(), for the library of `model`, whose code may crash. `weights`: file of the constants that it binds.
// Further errors: those of opening it, its process that ended, an answer that is none.
[[nodiscard]] Result<HostResults> run_apart(const HostModel& model, const std::string& library,
                                            const std::string& weights, const HostRuns& runs, Diagnostics& diags);

// The service that answers run_apart(), for the program that does work for others.
extern const Service kHostRunService;

}  // namespace byoc::api
