// The VM executor: bytecode for hosts, beside the C of the ahead-of-time executor, whose table of steps it calls.
#pragma once

#include "sdk/program/bytecode/lower.hpp"
#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// The bytecode of `lowered`, whose islands become calls of the steps of `program`, which is that of lowered.compiled.
// Errors: a step of a codegen's that belongs to two islands.
Result<bytecode::Module> bytecode(const plan::Program& program, const std::string& prefix, bytecode::Lowered lowered,
                                  Diagnostics& diags);

class Vm : public Executor {
 public:
  // `lowered` outlives it; the programs that it prints are those of lowered->compiled. Null: it prints nothing, and
  // stands for the others in the table of executors.
  explicit Vm(const bytecode::Lowered* lowered) : lowered_(lowered) {}

  [[nodiscard]] std::string name() const override { return "vm"; }
  [[nodiscard]] bool interprets() const override { return true; }
  Result<Printed> print(const PrintRequest& request, Diagnostics& diags) const override;

 private:
  const bytecode::Lowered* lowered_;
};

}  // namespace byoc::executor
