#include "sdk/model/evaluate/operators/table_16bit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace byoc::evaluate {

Table16::Table16(float (*f)(float), float low, float high) {
  constexpr int kSteps = 512;
  const float step = (high - low) / kSteps;
  const float half_step = step / 2;
  const float to_integer = 32768.0F;  // outputs in [-1, 1)
  auto clamped = [](float x) { return static_cast<std::int32_t>(std::clamp(x, -32768.0F, 32767.0F)); };
  for (int i = 0; i < kSteps; ++i) {
    const float at = low + static_cast<float>(i) * step;
    const float value = std::round(f(at) * to_integer);
    const float middle = std::round(f(at + half_step) * to_integer);
    const float next = f(low + static_cast<float>(i + 1) * step) * to_integer;
    const float interpolated = std::round((next + value) / 2);
    entries_[static_cast<std::size_t>(i)] = clamped(value - std::round((interpolated - middle) / 2));
  }
  entries_[kSteps] = clamped(std::round(f(high) * to_integer));
}

std::int32_t Table16::look_up(std::int16_t x) const {
  const auto index = static_cast<std::size_t>(256 + (x >> 7));
  const std::int32_t base = entries_[index];
  const std::int32_t slope = entries_[index + 1] - base;
  return base + ((slope * (x & 0x7f) + 64) >> 7);
}

const std::array<std::uint32_t, 256>& sigmoid_table() {
  // TFLite's table is tuned for interpolation: these entries are one more than the nearest integer.
  constexpr std::uint8_t kRaised[] = {4,  8,  12, 14, 15, 16, 17, 19, 20,  21,  22,  25,  27,  28, 29,
                                      30, 31, 33, 34, 35, 37, 39, 40, 41,  43,  44,  45,  46,  49, 50,
                                      54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255};
  static const std::array<std::uint32_t, 256> table = [&] {
    std::array<std::uint32_t, 256> t{};
    for (std::size_t i = 0; i < t.size(); ++i)
      t[i] = static_cast<std::uint32_t>(std::round(65536.0 / (1.0 + std::exp(-static_cast<double>(i) / 24.0))));
    for (const std::uint8_t i : kRaised) ++t[i];
    return t;
  }();
  return table;
}

std::int64_t sigmoid_16bit(std::int64_t x) {
  const auto magnitude = static_cast<std::uint64_t>(std::abs(x));
  const std::uint64_t index = magnitude >> 9;
  std::int64_t y = 0x7FFF << 10;
  if (index < 255) {
    const std::int64_t a = sigmoid_table()[index];
    const std::int64_t b = sigmoid_table()[index + 1];
    y = (a << 9) + static_cast<std::int64_t>(magnitude & 0x1ff) * (b - a);
  }
  y = x >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1;
  return y >> 10;
}

std::int64_t tanh_16bit(std::int64_t x) {
  const auto magnitude = static_cast<std::uint64_t>(std::abs(x));
  const std::uint64_t index = magnitude >> 8;
  std::int64_t y = 0xFFFF << 8;
  if (index < 255) {
    const std::int64_t a = sigmoid_table()[index];
    const std::int64_t b = sigmoid_table()[index + 1];
    y = (a << 8) + static_cast<std::int64_t>(magnitude & 0xff) * (b - a);
  }
  y = x >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1;
  return y >> 8;
}

}  // namespace byoc::evaluate
