// A target in the words of the C preprocessor: macros that compilers define for what they compile for.
#pragma once

#include <string>

#include "byoc/target.hpp"

namespace byoc {

// Conditions for #if; "" where the macros of the target are not known.

// True where a program is compiled for a core that runs code of the target and calls it as that code expects: the
// architecture is the target's or contains it, and the float ABI is equal. For a host only the architecture counts,
// because programs choose a library of a higher level at run time.
[[nodiscard]] std::string condition_to_run(const TargetSpec& target);

// The program is compiled for this target and no other that byoc knows: what packages choose a library by.
[[nodiscard]] std::string condition_of_target(const TargetSpec& target);

}  // namespace byoc
