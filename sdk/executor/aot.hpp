// The ahead-of-time executor: a root C module that calls the steps, and the headers around it.
#pragma once

#include <map>
#include <string>

#include "byoc/interface.hpp"
#include "sdk/plan/schedule.hpp"
#include "sdk/support/name_table.hpp"

namespace byoc::executor {

inline constexpr const char* kAot = "aot";  // its name in reports and manifests
[[nodiscard]] std::string steps_header();   // the text of kStepsHeader

struct AotRequest {
  const ir::Graph& graph;
  const plugin::Compilation& compilation;
  const plan::Schedule& schedule;
  const TargetSpec& target;
  std::string prefix;                               // of every public symbol
  std::string header;                               // file name of the public header
  std::string internal_header;                      // file name of the internal header
  std::map<std::string, std::string> kernel_names;  // shared symbol -> the name it has in this export
};

struct AotModule {
  std::string root;             // C source
  std::string header;           // typed public header
  std::string internal_header;  // prototypes of steps, constants, kernel names
  std::string example_main;     // C source
  std::string step_table;       // C source: <prefix>_step_table, which includes kStepsHeader
  ModelInterface interface;
};

// Beyond this point no new symbol is added but those of `compilation` and <prefix>_{run,init,reset,deinit,step_table}.
[[nodiscard]] AotModule make_aot(const AotRequest& request);

}  // namespace byoc::executor
