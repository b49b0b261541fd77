// The machine that this runs on, as a target.
#pragma once

#include "byoc/target.hpp"

namespace byoc::target {

// The known target of the highest level of x86-64 that the processor has, with what code may use beyond it in `isa`;
// "host", the lowest, where it is another.
[[nodiscard]] TargetSpec native_target();

}  // namespace byoc::target
