// The form of the float kernels for a target.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "byoc/target.hpp"

namespace byoc::c {

inline constexpr std::int64_t kFloatBlock = 4;  // output channels that the kernels compute at once

// The suffix of a kernel file, and what the source is instantiated with.
struct FloatForm {
  std::string suffix;  // "", "_mve" (vectors of 4), "_wide" (vectors of BYOC_LANES)
  std::map<std::string, std::string> defines;
  std::int64_t lanes = 0;  // of "_wide"

  // BYOC_BLOCK_PIXELS of the convolution kernels.
  [[nodiscard]] std::int64_t block_pixels(bool channels_last) const {
    if (lanes != 0) return 2 * lanes;
    return suffix == "_mve" && channels_last ? 6 : 4;
  }
  // The suffix of a convolution kernel's symbol.
  [[nodiscard]] std::string block_suffix() const { return lanes == 0 ? suffix : suffix + std::to_string(2 * lanes); }
};

[[nodiscard]] inline FloatForm float_form(const TargetSpec& target) {
  if (target.has("mve.fp")) return {"_mve", {}};
  // Fused multiply-accumulate is one cycle on a Cortex-M7; on the smaller cores it is slower than its two halves.
  if (target.cpu == "cortex-m7" && target.has("fp.sp")) return {"", {{"BYOC_FUSED_MAC", "1"}}};
  return {"", {}};
}

// The vectors of machines with 64-bit addresses; the first row that fits. `isa`: a word of TargetSpec::isa; "": any.
struct WideVectors {
  std::string_view triple, isa;
  std::int64_t lanes;
  bool fused;
};
inline constexpr WideVectors kWideVectors[] = {
    {"x86_64", "avx512", 16, true}, {"x86_64", "avx2", 8, true}, {"aarch64", "", 4, true}, {"", "", 4, false}};

[[nodiscard]] inline const WideVectors* wide_vectors(const TargetSpec& target) {
  if (target.has("mve.fp") || target.pointer_width != 64) return nullptr;
  return std::find_if(std::begin(kWideVectors), std::end(kWideVectors), [&](const WideVectors& v) {
    return target.triple.starts_with(v.triple) && (v.isa.empty() || target.has(v.isa));
  });
}

// The form of the convolution kernels for `pixels` results of a channel; nullopt: only a run knows. Blocks are not so
// wide that half of one would be empty.
[[nodiscard]] inline FloatForm block_form(const TargetSpec& target, std::optional<std::int64_t> pixels) {
  const WideVectors* wide = wide_vectors(target);
  if (wide == nullptr) return float_form(target);
  constexpr std::int64_t kUnknown = 16;
  FloatForm out{"_wide", {}, wide->lanes};
  while (out.lanes > 4 && pixels.value_or(kUnknown) <= out.lanes) out.lanes /= 2;
  out.defines["BYOC_LANES"] = std::to_string(out.lanes);
  if (wide->fused) out.defines["BYOC_FUSED_MAC"] = "1";
  return out;
}

// The form of the depthwise kernels, whose vectors have four channels.
[[nodiscard]] inline FloatForm depthwise_form(const TargetSpec& target) {
  const WideVectors* wide = wide_vectors(target);
  if (wide == nullptr) return float_form(target);
  FloatForm out{"_wide", {}};
  if (wide->fused) out.defines["BYOC_FUSED_MAC"] = "1";
  return out;
}

}  // namespace byoc::c
