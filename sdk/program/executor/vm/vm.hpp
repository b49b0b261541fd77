// The VM executor: bytecode for hosts, beside the C of the ahead-of-time executor, whose table of steps it calls.
#pragma once

#include "sdk/program/bytecode/lower.hpp"
#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// The bytecode of `lowered`, whose islands become calls of the steps of `program`, which is that of lowered.compiled.
// Errors: a step of a codegen's that belongs to two islands.
Result<bytecode::Module> bytecode(const plan::Program& program, const std::string& prefix, bytecode::Lowered lowered,
                                  Diagnostics& diags);

[[nodiscard]] const Executor& vm_executor();

}  // namespace byoc::executor
