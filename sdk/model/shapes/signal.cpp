// DFT and STFT: complex numbers are a last dim of 2, real ones of 1.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

// A single element that must be known for the shape; nullopt while it is not.
Result<std::optional<std::int64_t>> single(const Inference& call, std::size_t i) {
  const auto values = call.constant(i);
  if (!values) {
    if (!call.one_of(i, {DType::i32, DType::i64})) return failure;
    return std::optional<std::int64_t>();
  }
  if (values->size() != 1) return call.error("input " + std::to_string(i) + " must have one element", call.text(i));
  return std::optional((*values)[0]);
}

constexpr std::int64_t kLongest = std::int64_t{1} << 30;

}  // namespace

Result<void> dft(const Inference& call) {
  if (!call.one_of(0, {DType::f32, DType::f64, DType::f16, DType::bf16}) || !call.want_rank(0, 2, kAny)) return failure;
  const ir::Dim parts = call.dims(0).back();
  if (is_known(parts) && parts != 1 && parts != 2)
    return call.error("the last dim must be 1 (real) or 2 (complex)", call.text(0));
  const bool one_sided = call.node.integer("onesided", 0) != 0;
  // Backwards, half of a transform gives real numbers.
  const bool half = one_sided && call.node.integer("inverse", 0) != 0;
  if (one_sided && is_known(parts) && parts != (half ? 2 : 1))
    return call.error(half ? "onesided and inverse need complex numbers" : "onesided needs real numbers", call.text(0));
  std::int64_t axis = -2;
  if (call.find(2) != nullptr) {
    const auto given = single(call, 2);
    if (!given) return failure;
    if (!*given) return call.set_dtype(0, call.in(0).dtype);
    axis = **given;
  }
  const Result<std::size_t> at = call.axis(axis, call.rank(0));
  if (!at) return failure;
  if (*at + 1 == call.rank(0)) return call.error("axis must not be the last one", std::to_string(axis));
  Dims out = call.dims(0);
  if (half && is_known(out[*at])) out[*at] = 2 * (out[*at] - 1);
  if (call.find(1) != nullptr) {
    const auto length = single(call, 1);
    if (!length) return failure;
    if (*length && (**length < 1 || **length > kLongest))
      return call.error("dft_length is out of range", std::to_string(**length), "at least 1");
    out[*at] = *length ? **length : kUnknown;
  }
  if (half && is_known(out[*at]) && out[*at] < 1) return call.error("the axis is too short", call.text(0));
  if (is_known(out[*at]) && one_sided && !half) out[*at] = out[*at] / 2 + 1;
  out.back() = half ? 1 : 2;
  return call.set(0, call.in(0).dtype, out);
}

// signal, frame_step, window, frame_length.
Result<void> stft(const Inference& call) {
  if (!call.one_of(0, {DType::f32, DType::f64, DType::f16, DType::bf16}) || !call.want_rank(0, 2, 3)) return failure;
  if (call.rank(0) == 3 && is_known(call.dims(0)[2]) && call.dims(0)[2] != 1 && call.dims(0)[2] != 2)
    return call.error("the last dim must be 1 (real) or 2 (complex)", call.text(0));
  const bool one_sided = call.node.integer("onesided", 1) != 0;
  if (one_sided && call.rank(0) == 3 && call.dims(0)[2] == 2)
    return call.error("onesided needs real numbers", call.text(0));
  ir::Dim length = kUnknown;
  if (call.find(2) != nullptr) {
    if (!call.want_rank(2, 1, 1) || !call.same_dtype(0, 2)) return failure;
    length = call.dims(2)[0];
  }
  if (call.find(3) != nullptr) {
    const auto given = single(call, 3);
    if (!given) return failure;
    if (!*given) return call.set_dtype(0, call.in(0).dtype);
    if (is_known(length) && length != **given)
      return call.error("frame_length is not the window's", std::to_string(**given), std::to_string(length));
    length = **given;
  }
  if (call.find(2) == nullptr && call.find(3) == nullptr) return call.error("needs a window or a frame_length");
  const auto step = single(call, 1);
  if (!step) return failure;
  const ir::Dim samples = call.dims(0)[1];
  if (!*step || !is_known(length) || !is_known(samples)) return call.set_dtype(0, call.in(0).dtype);
  if (**step < 1) return call.error("frame_step is out of range", std::to_string(**step), "at least 1");
  if (length < 1 || length > samples)
    return call.error("a frame does not fit into the signal", std::to_string(length),
                      "1 to " + std::to_string(samples));
  const Dims out{call.dims(0)[0], (samples - length) / **step + 1, one_sided ? length / 2 + 1 : length, 2};
  return call.set(0, call.in(0).dtype, out);
}

}  // namespace byoc::shapes
