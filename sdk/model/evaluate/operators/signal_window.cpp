// byoc.SignalWindow: samples times a window, shifted right and saturated.
#include <algorithm>

#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {

Outcome signal_window(const Call& call) {
  const auto shift = setting(call, "shift", 0, 31);
  if (!shift || !want_type(call, 0, DType::i16) || !want_type(call, 1, DType::i16)) return failure;
  const auto x = elements<std::int16_t>(call.in(0)), window = elements<std::int16_t>(call.in(1));
  if (window.empty() || x.size() % window.size() != 0)
    return call.error("the window does not fit the samples", describe(call.in(1)) + " on " + describe(call.in(0)));
  Result<Buffer> y = call.allocate(DType::i16, *call.in(0).type.dims);
  if (!y) return failure;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int32_t product = std::int32_t{x[i]} * window[i % window.size()];
    y->as<std::int16_t>()[i] = static_cast<std::int16_t>(std::clamp(product >> *shift, -32768, 32767));
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
