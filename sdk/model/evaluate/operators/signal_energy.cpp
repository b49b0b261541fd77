// byoc.SignalEnergy: squared magnitudes of the bins of a spectrum from start_index up to end_index; 0 elsewhere.
#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {

Outcome signal_energy(const Call& call) {
  if (!want_type(call, 0, DType::i16)) return failure;
  const auto x = elements<std::int16_t>(call.in(0));
  const auto bins = static_cast<std::int64_t>(x.size() / 2);
  const auto end = setting(call, "end_index", 0, bins);
  const auto start = setting(call, "start_index", 0, bins);
  if (!start || !end) return failure;
  Result<Buffer> y = call.allocate(DType::u32, {bins});
  if (!y) return failure;
  for (auto i = static_cast<std::size_t>(*start); i < static_cast<std::size_t>(*end); ++i) {
    const std::int64_t re = x[2 * i], im = x[2 * i + 1];
    y->as<std::uint32_t>()[i] = static_cast<std::uint32_t>(re * re + im * im);
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
