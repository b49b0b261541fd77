// byoc.SignalFftAutoScale: samples shifted left until the loudest uses all 15 bits, and by how much.
#include <algorithm>
#include <bit>

#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {

Outcome signal_fft_auto_scale(const Call& call) {
  if (!want_type(call, 0, DType::i16)) return failure;
  const auto x = elements<std::int16_t>(call.in(0));
  // The reference keeps the magnitude in 16 bits, where that of -32768 is -32768: whatever follows is larger.
  std::int16_t loudest = 0;
  for (const std::int16_t sample : x) {
    if (sample > loudest)
      loudest = sample;
    else if (-sample > loudest)
      loudest = static_cast<std::int16_t>(-sample);
  }
  const int used = std::bit_width(static_cast<std::uint32_t>(std::int32_t{loudest}));
  const int shift = std::max(0, 15 - used);
  Result<Buffer> y = call.allocate(DType::i16, *call.in(0).type.dims, 0);
  if (!y) return failure;
  for (std::size_t i = 0; i < x.size(); ++i)
    y->as<std::int16_t>()[i] = static_cast<std::int16_t>(std::int32_t{x[i]} * (1 << shift));
  auto scale = whole(call, shift, {}, 1);
  if (!scale) return failure;
  return std::vector<Tensor>{std::move(*y).finish(), std::move(*scale)};
}

}  // namespace byoc::evaluate
