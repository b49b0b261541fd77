// The C text of the root that is not in its template. Internal to this folder.
#pragma once

#include <string>

#include "sdk/executor/aot.hpp"

namespace byoc::executor {

struct RootText {
  std::string functions;  // one for each control node and each of its bodies
  std::string lifecycle;  // <prefix>_init, _reset, _deinit
  std::string bases;      // where each workspace starts, in <prefix>_run; they may be unused
  std::string bases_unused;
  std::string calls;   // the inside of <prefix>_run: steps in order
  std::string copies;  // and what is moved after the last of them
};

[[nodiscard]] RootText root_text(const AotRequest& request, const ModelInterface& model);
// One for each step of a codegen, in all graphs of the model.
[[nodiscard]] std::string step_prototypes(const AotRequest& request);

}  // namespace byoc::executor
