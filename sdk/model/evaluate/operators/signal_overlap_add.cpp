// byoc.SignalOverlapAdd: frames that overlap, added up to a signal that goes on from run to run.
#include <algorithm>

#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {
namespace {

std::int16_t overlapped(std::int16_t a, std::int16_t b) {
  return static_cast<std::int16_t>(std::clamp(a + b, -32768, 32767));
}
float overlapped(float a, float b) { return a + b; }

template <class T>
Outcome overlap_add_of(const Call& call, std::int64_t step, Dims dims) {
  const std::int64_t size = dims.back(), frames = dims[dims.size() - 2];
  dims.pop_back();
  dims.back() = frames * step;
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, dims, 0);
  Result<Buffer> next = call.allocate(call.in(0).type.dtype, *call.in(1).type.dims, 1);
  if (!y || !next) return failure;
  const auto x = elements<T>(call.in(0)), before = elements<T>(call.in(1));
  const auto rows = static_cast<std::int64_t>(before.size()) / size;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<T> sums(before.begin() + row * size, before.begin() + (row + 1) * size);
    for (std::int64_t frame = row * frames; frame < (row + 1) * frames; ++frame) {
      for (std::int64_t i = 0; i < size; ++i)
        sums[static_cast<std::size_t>(i)] =
            overlapped(sums[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(frame * size + i)]);
      std::copy_n(sums.begin(), step, y->as<T>().begin() + frame * step);
      sums.erase(sums.begin(), sums.begin() + step);
      sums.resize(static_cast<std::size_t>(size));
    }
    std::copy(sums.begin(), sums.end(), next->as<T>().begin() + row * size);
  }
  return std::vector<Tensor>{std::move(*y).finish(), std::move(*next).finish()};
}

}  // namespace

// x [..., frames, size], what is left of the frames before [rows, size].
Outcome signal_overlap_add(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  if (dims.size() < 2 || dims.back() < 1 || dims[dims.size() - 2] < 1)
    return call.error("frames must have two dims at least", describe(call.in(0)));
  const auto step = setting(call, "frame_step", 1, dims.back());
  const std::int64_t rows = *product(dims) / dims[dims.size() - 2];
  if (!step || !want_type(call, 1, call.in(0).type.dtype) || !want_elements(call, 1, rows)) return failure;
  switch (call.in(0).type.dtype) {
    case DType::i16: return overlap_add_of<std::int16_t>(call, *step, dims);
    case DType::f32: return overlap_add_of<float>(call, *step, dims);
    default: return call.unsupported_dtype(0, "i16 or f32");
  }
}

}  // namespace byoc::evaluate
