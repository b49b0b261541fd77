// TFLite's arithmetic of Resize on height and width of [N, H, W, C].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/c/operators.hpp"

namespace byoc::c {

// The element that each output position picks: float32 positions. `transform` is coordinate_transformation_mode.
[[nodiscard]] std::vector<std::int32_t> nearest_tflite(const std::string& transform, std::int64_t in, std::int64_t out);

// mode linear on f32 and i8.
[[nodiscard]] codegen::Verdict accepts_resize_bilinear(const codegen::Region&, const codegen::Node&);
bool lower_resize_bilinear(Emitter&, const codegen::Node&);

}  // namespace byoc::c
