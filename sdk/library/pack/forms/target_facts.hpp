// The names of a target in other build systems.
#pragma once

#include <map>
#include <string>

#include "byoc/target.hpp"

namespace byoc::forms {

// A fact is missing where that world has no word for the target:
//   target        its name, for folders; identifier: the same for C
//   condition     what tells a C compiler that it compiles for it: "defined(__ARM_ARCH_6M__) && ..."
//   cmsis         dcore, dfpu and dmve: Cortex-M4 SP_FPU NO_MVE; in csolution's words fpu and mve: sp, off
//   zephyr        a condition of CMake over Kconfig symbols; kconfig: the same in Kconfig
//   arduino       the folder of a precompiled library below src/
//   idf           names of chips, as a regular expression
//   rust          the target triple of rustc
//   node, wheel   machine of Node.js, platform tag of a Python wheel
[[nodiscard]] std::map<std::string, std::string> facts_of(const TargetSpec& target);

}  // namespace byoc::forms
