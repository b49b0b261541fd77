// Bytecode with everything it needs to run: the library it calls, its instance, the machine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "byoc/byoc.hpp"
#include "byoc/rt/threads.h"
#include "sdk/program/bytecode/machine.hpp"
#include "sdk/program/bytecode/module.hpp"
#include "sdk/run/calls/model_functions.hpp"

namespace byoc {

class LoadedBytecode {
 public:
  // A file of bytecode, or a library in any form with a module of it. `weights` is the file of the constants that it
  // binds, "" where it binds none. Errors: those of load_module(), bytecode::read() and weights::read_weights(), a
  // library without bytecode, one whose steps are others; weights of other bytecode, none where it needs some, some
  // where it needs none.
  static Result<std::unique_ptr<LoadedBytecode>> open(const std::string& path, const std::string& weights,
                                                      Diagnostics& diags);
  // Makes it without a library. The module is verified here.
  static Result<std::unique_ptr<LoadedBytecode>> make(bytecode::Module module, const std::string& file,
                                                      Diagnostics& diags);
  // Reads the file without running any of its code: there is no machine. Errors: as above, except those that only
  // loaded code can show.
  static Result<std::unique_ptr<LoadedBytecode>> read(const std::string& path, Diagnostics& diags);
  ~LoadedBytecode();
  LoadedBytecode(const LoadedBytecode&) = delete;
  LoadedBytecode& operator=(const LoadedBytecode&) = delete;

  [[nodiscard]] const bytecode::Module& module() const { return module_; }
  [[nodiscard]] bool has_machine() const { return machine_.has_value(); }
  [[nodiscard]] bytecode::Machine& machine() { return *machine_; }
  // Error: its library has no step that threads could share, or there is no library.
  Result<void> set_threads(const byoc_threads_t* threads, Diagnostics& diags);
  // The states of the library and of the machine.
  Result<void> reset(Diagnostics& diags);

 private:
  LoadedBytecode() = default;
  Result<void> bind(const std::string& file, const std::string& weights, Diagnostics& diags);
  Result<void> start(const std::string& file, const LoadedSteps* steps, Diagnostics& diags);
  Result<void> make_instance(const ModelInterface* model, Diagnostics& diags);
  void tell_failures(const ModelInterface& model);
  Result<void> said(const std::optional<calls::CallError>&, Diagnostics&) const;

  std::string file_;
  std::optional<LoadedModule> library_;  // outlives what follows
  byoc_step_table_t table_{};
  bytecode::Module module_;
  calls::Instance instance_;
  std::optional<bytecode::Machine> machine_;
};

// True if the file is bytecode, or a library in any form that has a bytecode module.
[[nodiscard]] bool has_bytecode(const std::string& path);

}  // namespace byoc
