// byoc.SignalFramer: frames that overlap, cut from a signal that goes on from run to run.
#include <algorithm>

#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {
namespace {

enum : std::size_t { kSamples, kHistory, kSeen };

}  // namespace

Outcome signal_framer(const Call& call) {
  constexpr std::int64_t kMost = 1 << 24;
  const auto size = setting(call, "frame_size", 1, kMost), step = setting(call, "frame_step", 1, kMost);
  const auto prefill = setting(call, "prefill", 0, 1);
  if (!size || !step || !prefill || !want_type(call, kSamples, DType::i16) || !want_type(call, kHistory, DType::i16) ||
      !want_type(call, kSeen, DType::i32) || !want_elements(call, kSeen, 1))
    return failure;
  if (*prefill != 0 && *size < *step)
    return call.error("frames are shorter than their step", std::to_string(*size),
                      "at least " + std::to_string(*step) + " with prefill");
  Dims dims = *call.in(kSamples).type.dims;
  if (dims.empty() || dims.back() < 1 || dims.back() % *step != 0)
    return call.error("the samples are no multiple of the step", describe(call.in(kSamples)), std::to_string(*step));
  // Samples of earlier runs that the first frame begins with; a frame is whole from that many steps on.
  const std::int64_t warm_up = *prefill != 0 ? 0 : (*size + *step - 1) / *step - 1;
  const std::int64_t before = *prefill != 0 ? *size - *step : warm_up * *step, kept = std::max<std::int64_t>(before, 1);
  const std::int64_t length = dims.back(), frames = length / *step, rows = *product(dims) / length;
  if (!want_elements(call, kHistory, rows * kept)) return failure;
  dims.back() = frames;
  dims.push_back(*size);
  Result<Buffer> y = call.allocate(DType::i16, dims, 0);
  Result<Buffer> next = call.allocate(DType::i16, *call.in(kHistory).type.dims, 2);
  if (!y || !next) return failure;
  const auto x = elements<std::int16_t>(call.in(kSamples)), history = elements<std::int16_t>(call.in(kHistory));
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<std::int16_t> line(history.begin() + row * kept, history.begin() + (row + 1) * kept);
    line.insert(line.end(), x.begin() + row * length, x.begin() + (row + 1) * length);
    for (std::int64_t frame = 0; frame < frames; ++frame)
      std::copy_n(line.begin() + kept - before + frame * *step, *size,
                  y->as<std::int16_t>().begin() + (row * frames + frame) * *size);
    std::copy_n(line.end() - kept, kept, next->as<std::int16_t>().begin() + row * kept);
  }
  const std::int64_t seen = std::clamp<std::int64_t>(elements<std::int32_t>(call.in(kSeen))[0], 0, warm_up);
  auto valid = truth(call, seen == warm_up, 1);
  auto now = whole(call, static_cast<std::int32_t>(std::min(seen + frames, warm_up)), {1}, 3);
  if (!valid || !now) return failure;
  return std::vector<Tensor>{std::move(*y).finish(), std::move(*valid), std::move(*next).finish(), std::move(*now)};
}

}  // namespace byoc::evaluate
