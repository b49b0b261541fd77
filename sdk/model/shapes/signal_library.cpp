// TensorFlow Lite Micro's signal library.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

// An attribute that must be there, in this range.
Result<std::int64_t> setting(const Inference& call, std::string_view name, std::int64_t low, std::int64_t high) {
  const auto* found = call.node.find<std::int64_t>(name);
  if (found != nullptr && *found >= low && *found <= high) return *found;
  return call.error("attribute '" + std::string(name) + "' is out of range",
                    found == nullptr ? "none" : std::to_string(*found),
                    std::to_string(low) + " to " + std::to_string(high));
}

// Expects one dim, of `length` elements unless `length` is unknown.
Result<void> want_row(const Inference& call, std::size_t i, DType dtype, ir::Dim length = kUnknown) {
  if (!call.one_of(i, {dtype}) || !call.want_rank(i, 1, 1)) return failure;
  if (!differ(call.dims(i)[0], length)) return {};
  return call.error("input " + std::to_string(i) + " does not fit", call.text(i), std::to_string(length) + " elements");
}

constexpr std::int64_t kLongestFft = 65536;

Result<std::int64_t> fft_length(const Inference& call) {
  const auto length = setting(call, "fft_length", 2, kLongestFft);
  if (!length) return failure;
  if (*length % 2 != 0) return call.error("fft_length is odd", std::to_string(*length));
  if (!call.one_of(0, {DType::i16, DType::i32, DType::f32}) || !call.want_rank(0, 1, kAny)) return failure;
  return *length;
}

}  // namespace

Result<void> signal_window(const Inference& call) {
  if (!setting(call, "shift", 0, 31) || !call.one_of(0, {DType::i16}) || !call.want_rank(0, 1, kAny) ||
      !want_row(call, 1, DType::i16))
    return failure;
  const ir::Dim row = call.dims(0).back(), window = call.dims(1)[0];
  if (window == 0 || (is_known(row) && is_known(window) && row % window != 0))
    return call.error("the window does not fit the samples", call.text(1) + " on " + call.text(0));
  return call.set(0, DType::i16, call.dims(0));
}

Result<void> signal_fft_auto_scale(const Inference& call) {
  if (!want_row(call, 0, DType::i16) || !call.set(0, DType::i16, call.dims(0))) return failure;
  return call.set(1, DType::i32, {});
}

Result<void> signal_rfft(const Inference& call) {
  const auto length = fft_length(call);
  if (!length) return failure;
  Dims dims = call.dims(0);
  if (is_known(dims.back()) && dims.back() > *length)
    return call.error("the samples do not fit", call.text(0), "rows of at most " + std::to_string(*length));
  dims.back() = *length + 2;
  return call.set(0, call.in(0).dtype, dims);
}

Result<void> signal_irfft(const Inference& call) {
  const auto length = fft_length(call);
  if (!length) return failure;
  Dims dims = call.dims(0);
  if (differ(dims.back(), *length + 2))
    return call.error("the spectrum does not fit", call.text(0), "rows of " + std::to_string(*length + 2));
  dims.back() = *length;
  return call.set(0, call.in(0).dtype, dims);
}

Result<void> signal_energy(const Inference& call) {
  if (!want_row(call, 0, DType::i16)) return failure;
  const ir::Dim parts = call.dims(0)[0];
  if (!is_known(parts)) return call.set_dtype(0, DType::u32);
  if (!setting(call, "start_index", 0, parts / 2) || !setting(call, "end_index", 0, parts / 2)) return failure;
  return call.set(0, DType::u32, {parts / 2});
}

Result<void> signal_filter_bank(const Inference& call) {
  const auto channels = setting(call, "num_channels", 1, 32767);
  if (!channels || !want_row(call, 0, DType::u32)) return failure;
  for (std::size_t i = 1; i < 6; ++i)
    if (!want_row(call, i, DType::i16, i < 3 ? kUnknown : *channels + 1)) return failure;
  return call.set(0, DType::u64, {*channels});
}

Result<void> signal_filter_bank_square_root(const Inference& call) {
  if (!want_row(call, 0, DType::u64) || !call.one_of(1, {DType::i32}) || !call.want_rank(1, 0, 0)) return failure;
  return call.set(0, DType::u32, call.dims(0));
}

Result<void> signal_filter_bank_spectral_subtraction(const Inference& call) {
  for (const char* name : {"smoothing", "one_minus_smoothing", "alternate_smoothing", "alternate_one_minus_smoothing",
                           "min_signal_remaining"})
    if (!setting(call, name, 0, 0xffffffff)) return failure;
  if (!setting(call, "clamping", 0, 1) || !setting(call, "smoothing_bits", 0, 31) ||
      !setting(call, "spectral_subtraction_bits", 0, 63) || !want_row(call, 0, DType::u32) ||
      !want_row(call, 1, DType::u32, call.dims(0)[0]) || !call.set(0, DType::u32, call.dims(0)))
    return failure;
  return call.set(1, DType::u32, call.dims(1));
}

Result<void> signal_filter_bank_log(const Inference& call) {
  if (!setting(call, "input_correction_bits", 0, 31) || !setting(call, "output_scale", INT32_MIN, INT32_MAX) ||
      !want_row(call, 0, DType::u32))
    return failure;
  return call.set(0, DType::i16, call.dims(0));
}

Result<void> signal_pcan(const Inference& call) {
  constexpr std::int64_t kTable = 125;
  if (!setting(call, "snr_shift", 0, 63) || !want_row(call, 0, DType::u32) ||
      !want_row(call, 1, DType::u32, call.dims(0)[0]) || !want_row(call, 2, DType::i16))
    return failure;
  if (is_known(call.dims(2)[0]) && call.dims(2)[0] < kTable)
    return call.error("the table of gains is too short", call.text(2), std::to_string(kTable) + " elements");
  return call.set(0, DType::u32, call.dims(0));
}

// Samples [..., n], history [rows, kept], steps seen [1] -> frames, whether all are whole, and both after the run.
Result<void> signal_framer(const Inference& call) {
  constexpr std::int64_t kMost = 1 << 24;
  const auto size = setting(call, "frame_size", 1, kMost), step = setting(call, "frame_step", 1, kMost);
  const auto prefill = setting(call, "prefill", 0, 1);
  if (!size || !step || !prefill || !call.one_of(0, {DType::i16}) || !call.want_rank(0, 1, kAny) ||
      !call.one_of(1, {DType::i16}) || !call.want_rank(1, 2, 2) || !want_row(call, 2, DType::i32, 1))
    return failure;
  if (*prefill != 0 && *size < *step)
    return call.error("frames are shorter than their step", std::to_string(*size),
                      "at least " + std::to_string(*step) + " with prefill");
  if (!all_known(call.dims(0))) return call.error("the samples must have a known shape", call.text(0));
  Dims dims = call.dims(0);
  if (dims.back() < 1 || dims.back() % *step != 0)
    return call.error("the samples are no multiple of the step", call.text(0), std::to_string(*step));
  const std::int64_t before = *prefill != 0 ? *size - *step : ((*size + *step - 1) / *step - 1) * *step;
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < dims.size(); ++d) rows *= dims[d];
  if (differ(call.dims(1)[0], rows) || differ(call.dims(1)[1], std::max<std::int64_t>(before, 1)))
    return call.error("the history does not fit", call.text(1),
                      call.text(Dims{rows, std::max<std::int64_t>(before, 1)}));
  dims.back() /= *step;
  dims.push_back(*size);
  if (!call.set(0, DType::i16, dims) || !call.set(1, DType::boolean, {}) || !call.set(2, DType::i16, call.dims(1)))
    return failure;
  return call.set(3, DType::i32, {1});
}

// A frame [n], the stack of them [n * (left + right + 1)], frames held [1] -> the stack, whether it counts, frames
// held.
Result<void> signal_stacker(const Inference& call) {
  constexpr std::int64_t kMost = 1 << 15;
  const auto left = setting(call, "left_context", 0, kMost), right = setting(call, "right_context", 0, kMost);
  if (!left || !right) return failure;
  const std::int64_t frames = *left + *right + 1;
  if (!setting(call, "step", 1, frames) || !want_row(call, 0, DType::i16) || !want_row(call, 2, DType::i32, 1))
    return failure;
  const ir::Dim channels = call.dims(0)[0];
  if (!want_row(call, 1, DType::i16, is_known(channels) ? channels * frames : kUnknown) ||
      !call.set(0, DType::i16, call.dims(1)) || !call.set(1, DType::boolean, {}))
    return failure;
  return call.set(2, DType::i32, {1});
}

// Frames [..., frames, size], what is left of those before [rows, size] -> the signal, and what is left.
Result<void> signal_overlap_add(const Inference& call) {
  if (!call.one_of(0, {DType::i16, DType::f32}) || !call.want_rank(0, 2, kAny) || !call.same_dtype(0, 1) ||
      !call.want_rank(1, 2, 2))
    return failure;
  if (!all_known(call.dims(0))) return call.error("the frames must have a known shape", call.text(0));
  Dims dims = call.dims(0);
  const std::int64_t size = dims.back();
  if (size < 1 || dims[dims.size() - 2] < 1) return call.error("no frames, or empty ones", call.text(0));
  const auto step = setting(call, "frame_step", 1, size);
  if (!step) return failure;
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 2 < dims.size(); ++d) rows *= dims[d];
  if (differ(call.dims(1)[0], rows) || differ(call.dims(1)[1], size))
    return call.error("what is left of earlier frames does not fit", call.text(1), call.text(Dims{rows, size}));
  dims.pop_back();
  dims.back() *= *step;
  if (!call.set(0, call.in(0).dtype, dims)) return failure;
  return call.set(1, call.in(0).dtype, call.dims(1));
}

}  // namespace byoc::shapes
