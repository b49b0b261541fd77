// Constants of bytecode that leave it for a file of their own, and are bound when a program loads it.
#pragma once

#include <cstdint>

#include "sdk/program/bytecode/module.hpp"
#include "sdk/target/module/bound_constants.hpp"

namespace byoc::executor {

// Removes constants of at least `least` bytes, except strings, from the module. The result has the place of each
// constant and the layout: a hash of all bytecode without the constants, so that bytecode is unchanged if only they
// change.
[[nodiscard]] BoundConstants detach_constants(bytecode::Module& module, std::uint64_t least);

}  // namespace byoc::executor
