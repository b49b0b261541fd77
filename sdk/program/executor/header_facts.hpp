// Macros of the public header that only the compiled library tells.
#pragma once

#include <string>

#include "byoc/sizes.hpp"
#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

struct HeaderFacts {
  StackBound stack = {};
  std::string id = {};  // SHA-256 of the model's file; "": not known
};

// The printed header with the macros <PREFIX>_STACK_SIZE and <PREFIX>_ID, as far as they are known.
[[nodiscard]] std::string header_with(const Printed& printed, const std::string& prefix, const HeaderFacts& facts);

}  // namespace byoc::executor
