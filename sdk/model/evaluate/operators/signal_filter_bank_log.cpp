// byoc.SignalFilterBankLog: natural logarithms in fixed point, by a table of what log2 lies above its chord.
#include <algorithm>
#include <bit>
#include <cmath>

#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {
namespace {

constexpr int kFractionBits = 16, kSegmentBits = 7;

// 65536 * (log2(1 + i / 128) - i / 128), rounded.
std::int32_t above_chord(std::uint32_t i) {
  const double part = static_cast<double>(i) / 128;
  return static_cast<std::int32_t>(std::lround(65536 * (std::log2(1 + part) - part)));
}

// log2 of 1 + fraction / 65536, with 16 bits of fraction.
std::uint32_t log2_of_fraction(std::int32_t fraction) {
  const auto segment = static_cast<std::uint32_t>(fraction) >> (kFractionBits - kSegmentBits);
  const std::int32_t low = above_chord(segment), high = above_chord(segment + 1);
  const std::int32_t inside = fraction - static_cast<std::int32_t>(segment << (kFractionBits - kSegmentBits));
  // The reference divides by 65536 where a segment has 512 steps.
  return static_cast<std::uint32_t>(fraction + low + ((high - low) * inside >> kFractionBits));
}

std::uint32_t scaled_log(std::uint32_t x, std::uint32_t scale) {
  constexpr std::uint64_t kLn2 = 45426;  // 65536 * ln 2
  const int whole = std::bit_width(x) - 1;
  const std::uint32_t above = x - (1U << whole);
  const std::uint32_t fraction =
      whole < kFractionBits ? above << (kFractionBits - whole) : above >> (whole - kFractionBits);
  const std::uint32_t log2 =
      (static_cast<std::uint32_t>(whole) << kFractionBits) + log2_of_fraction(static_cast<std::int32_t>(fraction));
  const auto log = static_cast<std::uint32_t>((kLn2 * log2 + 32768) >> kFractionBits);
  return (scale * log + 32768) >> kFractionBits;
}

}  // namespace

Outcome signal_filter_bank_log(const Call& call) {
  const auto correction = setting(call, "input_correction_bits", 0, 31);
  const auto scale = setting(call, "output_scale", INT32_MIN, INT32_MAX);
  if (!correction || !scale || !want_type(call, 0, DType::u32)) return failure;
  const auto x = elements<std::uint32_t>(call.in(0));
  Result<Buffer> y = call.allocate(DType::i16, *call.in(0).type.dims);
  if (!y) return failure;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint32_t scaled = x[i] << *correction;
    const std::uint32_t log = scaled > 1 ? scaled_log(scaled, static_cast<std::uint32_t>(*scale)) : 0;
    y->as<std::int16_t>()[i] = static_cast<std::int16_t>(std::min(log, 32767U));
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
