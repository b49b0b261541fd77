// byoc.SignalPCAN: each channel times a gain that falls with its noise, then compressed. The gain is a function of the
// noise given by quadratic pieces, one for each power of two.
#include <bit>

#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {
namespace {

constexpr std::int64_t kTable = 125;  // gains of 0, 1 and 2, two that are not read, then three coefficients and a gap

std::int16_t gain_of(std::uint32_t noise, std::span<const std::int16_t> table) {
  if (noise <= 2) return table[noise];
  const int bits = std::bit_width(noise);
  const auto piece = table.subspan(static_cast<std::size_t>(4 * bits - 6), 3);
  // Ten bits behind the leading one say where in the piece.
  const auto at = static_cast<std::int32_t>((bits < 11 ? noise << (11 - bits) : noise >> (bits - 11)) & 0x3ff);
  const std::int32_t slope = (piece[2] * at >> 5) + piece[1] * 32;
  const auto rise =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(slope) * static_cast<std::uint32_t>(at) + 16384U);
  return static_cast<std::int16_t>((rise >> 15) + piece[0]);
}

// Compresses a number with 12 bits of fraction to one with 6: x^2 / 4 below 2, x - 1 above.
std::uint32_t shrink(std::uint32_t x) { return x < 2U << 12 ? x * x >> 20 : (x >> 6) - 64; }

}  // namespace

Outcome signal_pcan(const Call& call) {
  const auto shift = setting(call, "snr_shift", 0, 63);
  if (!shift || !want_type(call, 0, DType::u32) || !want_type(call, 1, DType::u32) || !want_type(call, 2, DType::i16))
    return failure;
  const auto x = elements<std::uint32_t>(call.in(0)), noise = elements<std::uint32_t>(call.in(1));
  const auto table = elements<std::int16_t>(call.in(2));
  if (!want_elements(call, 1, static_cast<std::int64_t>(x.size()))) return failure;
  if (static_cast<std::int64_t>(table.size()) < kTable)
    return call.error("the table of gains is too short", describe(call.in(2)), std::to_string(kTable) + " elements");
  Result<Buffer> y = call.allocate(DType::u32, *call.in(0).type.dims);
  if (!y) return failure;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto gain = static_cast<std::uint32_t>(std::int32_t{gain_of(noise[i], table)});
    y->as<std::uint32_t>()[i] = shrink(static_cast<std::uint32_t>(std::uint64_t{x[i]} * gain >> *shift));
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
