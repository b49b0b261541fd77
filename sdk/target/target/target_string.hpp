// Targets written as compiler options. Internal to this folder.
#pragma once

#include <string>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc::target {

// "arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard". Where the options describe a known target, that one is the
// result; otherwise one derived from what is known of the CPU.
[[nodiscard]] Result<TargetSpec> parse_target_string(const std::string& text, Diagnostics&);

}  // namespace byoc::target
