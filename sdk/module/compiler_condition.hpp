// A target in the words of the C preprocessor: macros that compilers define for what they compile for.
#pragma once

#include <string>

#include "byoc/target.hpp"

namespace byoc {

// Conditions for #if; "" where the macros of the target are not known.

// The program is compiled for a core that runs code of the target, and calls it as that code expects: an architecture
// that is the target's or has everything of it, and the same float ABI. Of a host it is the architecture alone, for
// programs choose a library of a higher level when they run.
[[nodiscard]] std::string condition_to_run(const TargetSpec& target);

// The program is compiled for this target and no other that byoc knows: what packages choose a library by.
[[nodiscard]] std::string condition_of_target(const TargetSpec& target);

}  // namespace byoc
