// Constants of bytecode that leave it for a file of their own, and are bound when a program loads it.
#pragma once

#include <cstdint>

#include "sdk/module/bound_constants.hpp"
#include "sdk/vm/module.hpp"

namespace byoc::executor {

// Those of at least `least` bytes, but for strings; none are left where there are none. What is left says where each
// is, and its layout: a hash of all bytecode without them, so that bytecode stays as it is where only they change.
[[nodiscard]] BoundConstants detach_constants(vm::Module& module, std::uint64_t least);

}  // namespace byoc::executor
