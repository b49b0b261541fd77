// byoc.SignalStacker: the last frames, oldest first, given out as one every few runs.
#include <algorithm>

#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {
namespace {

enum : std::size_t { kFrame, kStack, kHeld };

}  // namespace

Outcome signal_stacker(const Call& call) {
  constexpr std::int64_t kMost = 1 << 15;
  const auto left = setting(call, "left_context", 0, kMost), right = setting(call, "right_context", 0, kMost);
  if (!left || !right) return failure;
  const std::int64_t whole_stack = *left + *right + 1;
  const auto step = setting(call, "step", 1, whole_stack);
  if (!step || !want_type(call, kFrame, DType::i16) || !want_type(call, kStack, DType::i16) ||
      !want_type(call, kHeld, DType::i32) || !want_elements(call, kHeld, 1))
    return failure;
  const auto x = elements<std::int16_t>(call.in(kFrame)), stack = elements<std::int16_t>(call.in(kStack));
  const auto channels = static_cast<std::int64_t>(x.size());
  if (!want_elements(call, kStack, channels * whole_stack)) return failure;
  Result<Buffer> y = call.allocate(DType::i16, *call.in(kStack).type.dims, 0);
  if (!y) return failure;
  // `held` is one more than the frames held; before the first run it is 0. The first frame comes once more for each of
  // the left context.
  const std::int32_t held = elements<std::int32_t>(call.in(kHeld))[0];
  const bool is_first = held <= 0;
  for (std::int64_t frame = 0; frame < whole_stack; ++frame) {
    const bool is_new = frame + 1 == whole_stack || (is_first && frame >= *right);
    const auto from = is_new ? x : stack.subspan(static_cast<std::size_t>((frame + 1) * channels), x.size());
    std::copy(from.begin(), from.end(), y->as<std::int16_t>().begin() + frame * channels);
  }
  const std::int64_t now = is_first ? *left + 1 : std::min<std::int64_t>(held, whole_stack);
  const bool is_whole = now >= whole_stack;
  auto valid = truth(call, is_whole, 1);
  auto next = whole(call, static_cast<std::int32_t>(now - (is_whole ? *step : 0) + 1), {1}, 2);
  if (!valid || !next) return failure;
  return std::vector<Tensor>{std::move(*y).finish(), std::move(*valid), std::move(*next)};
}

}  // namespace byoc::evaluate
