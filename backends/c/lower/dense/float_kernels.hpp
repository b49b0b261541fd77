// Which form of the float kernels a target gets.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "byoc/target.hpp"

namespace byoc::c {

inline constexpr std::int64_t kFloatBlock = 4;  // output channels that the kernels compute at once

// The suffix of a kernel file and symbol, and what the source is instantiated with.
struct FloatForm {
  std::string suffix;  // "", "_mve" (vectors of 4), "_wide" (for compilers that make vectors)
  std::map<std::string, std::string> defines;

  // BYOC_BLOCK_PIXELS of the convolution kernels.
  [[nodiscard]] std::int64_t block_pixels(bool channels_last) const {
    if (suffix == "_wide") return 8;
    return suffix == "_mve" && channels_last ? 6 : 4;
  }
};

// `has_wide`: whether the kernel exists in a form for wide vectors.
[[nodiscard]] inline FloatForm float_form(const TargetSpec& target, bool has_wide) {
  if (target.has("mve.fp")) return {"_mve", {}};
  if (has_wide && target.pointer_width == 64) return {"_wide", {}};
  // Fused multiply-accumulate is one cycle on a Cortex-M7; on the smaller cores it is slower than its two halves.
  if (target.cpu == "cortex-m7" && target.has("fp.sp")) return {"", {{"BYOC_FUSED_MAC", "1"}}};
  return {"", {}};
}

}  // namespace byoc::c
