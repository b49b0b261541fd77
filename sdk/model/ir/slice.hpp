// The bounds that ONNX's Slice takes along one dim.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace byoc::ir {

// `length` elements from `start` on, each `step` behind the one before it.
struct SliceOfDim {
  std::int64_t start, step, length;
};

// Bounds count from the end where they are negative, and stop at either side: a step back starts at the last element
// at most, and at the first at least, and ends before the first at most. The largest int32 and the largest int64 as an
// end are no bound, whatever the step, as ONNX Runtime has it.
[[nodiscard]] inline SliceOfDim slice_of_dim(std::int64_t size, std::int64_t start, std::int64_t end,
                                             std::int64_t step) {
  if (size == 0) return {0, 1, 0};
  const auto clamp = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
    if (at < 0) at = std::max(at, std::numeric_limits<std::int64_t>::min() + size) + size;
    return std::clamp(at, low, high);
  };
  const bool unbounded =
      end == std::numeric_limits<std::int32_t>::max() || end == std::numeric_limits<std::int64_t>::max();
  const std::int64_t first = clamp(start, 0, step > 0 ? size : size - 1);
  const std::int64_t last = unbounded  ? (step > 0 ? size : -1)
                            : step > 0 ? clamp(end, 0, size)
                                       : clamp(end, -1, size - 1);
  const std::int64_t room = step > 0 ? last - first : first - last;
  if (room <= 0) return {0, 1, 0};
  // The smallest int64 has no counterpart that is positive.
  const std::uint64_t stride =
      step > 0 ? static_cast<std::uint64_t>(step) : std::uint64_t{0} - static_cast<std::uint64_t>(step);
  const std::uint64_t length = (static_cast<std::uint64_t>(room) - 1) / stride + 1;
  return {first, length == 1 ? 1 : step, static_cast<std::int64_t>(length)};
}

}  // namespace byoc::ir
