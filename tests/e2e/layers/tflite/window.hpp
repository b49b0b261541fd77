// Sliding windows of convolutions and pools: one of two spatial dimensions at a time.
#pragma once

#include <algorithm>

#include "tests/e2e/layers/tflite/tflite_model.hpp"

namespace byoc::test {

struct Span {
  std::int32_t in = 1, kernel = 1, stride = 1, dilation = 1;
  Padding padding = Padding::VALID;

  [[nodiscard]] std::int32_t reach() const { return (kernel - 1) * dilation + 1; }
  [[nodiscard]] std::int32_t out() const {
    return padding == Padding::SAME ? (in + stride - 1) / stride : (in - reach()) / stride + 1;
  }
  // What SAME puts in front: half of what is missing, rounded down.
  [[nodiscard]] std::int32_t before() const {
    return padding == Padding::SAME ? std::max((out() - 1) * stride + reach() - in, 0) / 2 : 0;
  }
  // The input position under tap k of output position o; it may be outside.
  [[nodiscard]] std::int32_t at(std::int32_t o, std::int32_t k) const { return o * stride - before() + k * dilation; }
};

// Window and input fit; a window larger than its input with SAME only. Between many channels, both are small.
[[nodiscard]] inline Span random_span(Random& random, Padding padding, std::int32_t largest_dilation, bool many) {
  Span s;
  s.padding = padding;
  s.kernel = random.size(1, many ? 2 : 4);
  s.stride = random.size(1, 3);
  s.dilation = random.chance(30) ? random.size(1, largest_dilation) : 1;
  const std::int32_t least = padding == Padding::VALID ? s.reach() : 1;
  s.in = least + random.size(0, many ? 2 : 6);
  return s;
}

}  // namespace byoc::test
