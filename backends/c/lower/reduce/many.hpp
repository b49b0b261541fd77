// Sums of many elements, whose rounding errors a plain sum would pile up (kernels/arithmetic/byoc_sum.h).
#pragma once

#include "backends/c/emitter.hpp"
#include "backends/c/lower/step/extent.hpp"

namespace byoc::c {

// Elements that are added one after the other.
inline constexpr std::int64_t kSumBlock = 256;

[[nodiscard]] inline bool is_many(const Extent& count) { return !count.is_known() || count.known() > kSumBlock; }

// The kernel's form for sums of `count` elements.
inline void sums_of(Kernel& kernel, const Extent& count) {
  if (!is_many(count)) return;
  kernel.symbol += "_many";
  kernel.defines["BYOC_MANY"] = "1";
}

}  // namespace byoc::c
