// A model written by hand, in the shape that an export has, for tests of the simulators.
#pragma once

#include <string>

#include "byoc/interface.hpp"
#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc::test {

// Input x, int8[8]; output y, int8[8]; a workspace of 64 bytes; prefix "tiny".
struct SmallModel {
  ModelInterface interface;
  std::string directory;  // tiny.h is there
  std::string archive;
  std::string traced_archive;
};

// `body` is C at file scope that defines `static int32_t tiny_body(const int8_t* x, int8_t* y, unsigned char*
// workspace)`. It may use SPIN(n), a loop of 2n instructions, n known only at run time, and TRACE(step), which is
// byoc_trace(step) in the traced archive and nothing in the other.
// `stateful`: the model has an instance of 16 bytes; tiny_init() starts its counter at 40, or returns 5 if the body
// defines INIT_FAILS, and tiny_run() counts one up and hands the count to the body as workspace[0].
Result<SmallModel> build_small_model(const TargetSpec&, const std::string& directory, const std::string& body,
                                     Diagnostics&, bool stateful = false);

}  // namespace byoc::test
