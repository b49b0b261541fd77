// Quantisation as the element-wise kernels take it: [outer, channels, inner] with a scale and a zero point for each
// channel.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

struct ElementRange {
  std::int64_t low = 0, high = 0;
};
// Of i8, u8, i16, u16 and i32; nullopt for others.
[[nodiscard]] std::optional<ElementRange> element_range(DType);

struct AxisScales {
  std::int64_t outer = 1, channels = 1, inner = 1;
  std::vector<float> scales;
  std::vector<std::int32_t> zeros;  // as many as scales
};

// `q` on a tensor of `dims` and `dtype`. Null, with the reason in `why`: counts that do not fit, scales or zero points
// out of range, an element type without a range.
[[nodiscard]] std::optional<AxisScales> read_axis_scales(const Quantisation& q, DType dtype,
                                                         const std::vector<std::int64_t>& dims, codegen::Verdict& why);
// Emits the constants and returns the definition of a byoc_scales_t called `name`.
[[nodiscard]] std::string emit_axis_scales(Emitter&, std::string_view stem, std::string_view name, const AxisScales&);

}  // namespace byoc::c
