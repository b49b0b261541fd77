// Executes bytecode: steps of a kernel library, nodes through the evaluator.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/rt/steps.h"
#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/program/bytecode/module.hpp"
#include "sdk/program/bytecode/open_types.hpp"

namespace byoc::bytecode {

// Limits of one run. 0: no limit.
struct Limits {
  std::uint64_t memory = 0;        // bytes of all values that are alive at once, constants excepted
  std::uint64_t instructions = 0;  // that are executed
};

// A module with the steps of its library, found and compared.
class Machine {
 public:
  // `module` is verified, and outlives the machine as the library does. `table` may be null where the module has no
  // primitives; `instance` is where the library keeps its states, initialised, or null. Errors: a step that the library
  // does not have, or has with other operands.
  static Result<Machine> link(const Module& module, const byoc_step_table_t* table, void* instance,
                              const std::string& file, Diagnostics& diags);

  // One run of the model. Errors: inputs of the wrong number or type, errors of nodes, a step that fails, a limit.
  Result<std::vector<evaluate::Tensor>> run(std::span<const evaluate::Tensor> inputs, const Limits& limits,
                                            Diagnostics& diags);
  // Why steps fail; a code of 0 stands for any that the step returns.
  void tell_failures(std::vector<RunFailure> failures) { failures_ = std::move(failures); }
  // States of the interpreter back to their start.
  void reset();

 private:
  friend class Run;
  const Module* module_ = nullptr;
  std::string file_;
  const byoc_step_table_t* table_ = nullptr;
  std::byte* instance_ = nullptr;
  std::vector<const byoc_step_entry_t*> steps_;  // of each primitive
  std::vector<evaluate::Tensor> states_;
  std::vector<RunFailure> failures_;
  std::map<const ir::Node*, OpenTypes> open_types_;  // of nodes that were computed, as far as they need them
};

}  // namespace byoc::bytecode
