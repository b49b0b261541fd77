// A compile job in a forked process: LLVM may abort, exit or run wild on hostile input, and must not take us with it.
// Not to be used while other threads run.
#pragma once

#include <functional>
#include <string>

#include "sdk/base/support/worker.hpp"
#include "sdk/library/compile/compiler.hpp"

namespace byoc::compile {

using Job = std::function<Result<ObjectBytes>(Diagnostics&)>;

// Runs `job` in a fork of this process and hands over its object and diagnostics. A worker that dies is an error that
// names `what` and says what it wrote to standard error last; so is one beyond the limits.
[[nodiscard]] Result<ObjectBytes> run_in_worker(const std::string& what, const Job& job, Diagnostics&,
                                                const WorkerLimits& limits = {});

// The pieces of it: what a worker answers with, and what this process makes of that.
[[nodiscard]] std::string encode_outcome(const Result<ObjectBytes>& object, const Diagnostics& diags);
[[nodiscard]] Result<ObjectBytes> decode_outcome(const std::string& what, std::string_view answer, Diagnostics&);
Failure report_death(const std::string& what, const WorkerEnd& end, Diagnostics&);

}  // namespace byoc::compile
