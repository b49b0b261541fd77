// Pools, in every element type that their kernel is made for.
#pragma once

#include <string>

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

// Geometry, activation and sizes of a pool; `global` pools span the whole input.
[[nodiscard]] codegen::Verdict accepts_pool(const codegen::Region&, const codegen::Node&, bool global);

// The kernel <file> instantiated as byoc_<what>_<layout>_<dtype>, called with the clamp `lo` and `hi` (C expressions).
struct PoolKernel {
  std::string what;  // "max_pool"
  std::string file;  // "max_pool.c"
  std::map<std::string, std::string> defines;
  std::string lo, hi;
};
bool lower_pool(Emitter&, const codegen::Node&, bool global, const PoolKernel&);

[[nodiscard]] codegen::Verdict accepts_average_pool_float(const codegen::Region&, const codegen::Node&, bool global);
bool lower_average_pool_float(Emitter&, const codegen::Node&, bool global);
[[nodiscard]] codegen::Verdict accepts_any_max_pool(const codegen::Region&, const codegen::Node&, bool global);
bool lower_any_max_pool(Emitter&, const codegen::Node&, bool global);

}  // namespace byoc::c
