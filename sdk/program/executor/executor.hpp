// An executor prints a Program: it makes the modules that run it. Each has a folder here, and is an argument of the
// export (ExportRequest::executor); who exports need not know which there are.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/program/executor/level.hpp"
#include "sdk/program/plan/program.hpp"
#include "sdk/target/module/bound_constants.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc::executor {

struct PrintRequest {
  const plan::Program& program;
  const ModelInterface&
      model;  // of the program (sdk/program/executor/interface.hpp): names of its inputs, outputs, workspaces
  const TargetSpec& target;
  std::string header;  // file name of the public header
  std::string
      internal_header;      // of the one that declares steps and constants (sdk/program/executor/internal_header.hpp)
  bool step_table = false;  // also a module for programs that load the library (byoc/rt/steps.h)
  std::map<std::string, Blob> constants = {};  // bytes of Program::constants, by symbol
  const BoundConstants* bound = nullptr;       // constants that <prefix>_bind() is given; null: all are in the library
  bool hooks = false;                          // <prefix>_set_hooks(): what the program is called with around each step
  std::vector<std::string> taps = {};          // steps whose outputs such a program may copy
  bool resumable = false;                      // <prefix>_begin() and _step(), for a run in pieces
  bool trace = false;                          // there will be a root compiled with BYOC_TRACE as well
  std::span<const Level> levels = {};          // in ascending order; of the executor aot
  std::string id = {};                         // SHA-256 of the model, for a note in the root; "": there is none
};

struct Printed {
  // The root first, which is C and defines <prefix>_run; compiled with BYOC_TRACE defined it calls byoc_trace()
  // (byoc/interface.hpp). The export adds what the codegens made, and says how C is compiled.
  std::vector<Module> modules;
  std::map<std::string, std::string> headers;  // that these modules include besides those of the request, by name
  std::string header;                          // C: the public one
  std::size_t facts_at = std::string::npos;    // where in it macros of a HeaderFacts belong; npos: nowhere
  std::string example_main;                    // C: the smallest program around the model
  // C behind the root that is compiled with BYOC_TRACE: the table of its steps, for who calls them one by one
  // (sdk/program/executor/aot/step_table.hpp); "" where there is none.
  std::string traced = {};
};

class Executor {
 public:
  virtual ~Executor() = default;
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // The executor's name in reports, manifests and other formats: "aot". Steps and constants that no codegen made are
  // its own.
  [[nodiscard]] virtual std::string name() const = 0;

  // True if it decides while the model runs. No executor for devices does; with such an executor, a model's types may
  // be open.
  [[nodiscard]] virtual bool interprets() const { return false; }

  // Thread-safe; equal requests give equal text. The only public symbols are those of the request's program and
  // <prefix>_{run,init,reset,deinit,step_table}, their tied names (sdk/target/module/tied_name.hpp), with `bound`
  // <prefix>_{bind,bind_slots,weights_base}, with `hooks` <prefix>_{set_hooks,step_names}, with
  // `resumable` <prefix>_{begin,step}. Errors: features that this
  // executor cannot run, by name.
  virtual Result<Printed> print(const PrintRequest&, Diagnostics&) const = 0;
};

}  // namespace byoc::executor
