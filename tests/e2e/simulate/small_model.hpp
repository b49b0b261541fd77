// A model written by hand, in the shape that an export has, for tests of the simulators.
#pragma once

#include <string>

#include "byoc/target.hpp"
#include "sdk/executor/interface.hpp"
#include "sdk/support/diagnostics.hpp"

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
Result<SmallModel> build_small_model(const TargetSpec&, const std::string& directory, const std::string& body,
                                     Diagnostics&);

}  // namespace byoc::test
