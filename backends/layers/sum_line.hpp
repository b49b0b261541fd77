// One multiplication and one shift that equal a requantisation.
//
// A requantisation is a step function of the sum that never falls: for each result v there is a first sum T(v). Another
// function gives the same results if its steps are at the same sums. A line is the function
//   floor(((sum + add) * scale + start * 2^32) / 2^(32 + shift)).
// A core with SMMLA computes it in two instructions, with one rounding. TensorFlow Lite rounds twice, and ONNX rounds a
// product of floats; still, the steps agree for some choice of the offset in most channels whose results are clamped at
// the zero point. That choice is proven here, step by step.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace byoc::layers {

struct SumLine {
  std::int32_t add = 0, scale = 0, start = 0;
  friend bool operator==(const SumLine&, const SumLine&) = default;
};

// The requantisation of one channel.
struct SumSteps {
  std::function<std::int32_t(std::int32_t)> result;  // of a sum in [low, high]; never falls; clamped
  double scale = 0;                                  // about what it multiplies by, > 0
  std::int32_t zero = 0;                             // about what it adds
  std::int64_t low = 0, high = 0;                    // the sums that there can be
  std::int32_t least = -128, most = 127;             // the results, which the line need not be clamped to
};

// The largest shift with which the line of a channel with this scale has a multiplier of 31 bits; below 0: none has.
[[nodiscard]] int line_shift(double scale);

// The line with the same results, once they are clamped to [least, most], and whose high word has 32 bits for every
// sum. Null: there is none, or it was not found among offsets of `kMostAdded` sums.
inline constexpr std::int32_t kMostAdded = 1 << 15;
[[nodiscard]] std::optional<SumLine> fit_line(const SumSteps&, int shift);

}  // namespace byoc::layers
