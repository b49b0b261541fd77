// Quantised tensors as kernels of integers take them: scales, zero points, ranges, and what they cannot compute.
//
// Refusals say what was found and what was expected; null where there is nothing to refuse.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::nodes {

// Per-tensor parameters of a value: real = scale * (q - zero).
struct Affine {
  float scale = 1;
  std::int32_t zero = 0;
};
// The quantisation of a value with at least one scale.
[[nodiscard]] inline Affine affine(const codegen::Value& v) {
  const auto& q = v.quantisation;
  return {q.scales.at(0), q.zero_points.empty() ? 0 : static_cast<std::int32_t>(q.zero_points[0])};
}

// Bounds of results, both among them.
struct Clamp {
  std::int32_t low = -128, high = 127;

  friend bool operator==(const Clamp&, const Clamp&) = default;
};
// The range of the elements of i8, u8, i16 and u16.
[[nodiscard]] inline Clamp range_of(const codegen::Value& v) {
  switch (v.dtype) {
    case DType::u8: return {0, 255};
    case DType::u16: return {0, 65535};
    case DType::i16: return {-32768, 32767};
    default: return {};
  }
}

namespace detail {

// The bounds of a fused activation by its name; `quantise` makes integers of real numbers. Null for another name.
template <class Quantise>
std::optional<Clamp> activation_range(std::string_view activation, const Clamp& range, const Quantise& quantise) {
  const auto bound = [&](float real) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(quantise(real), range.low, range.high));
  };
  if (activation == "none") return range;
  if (activation == "relu") return Clamp{bound(0), range.high};
  if (activation == "relu6") return Clamp{bound(0), bound(6)};
  if (activation == "relu_n1_to_1") return Clamp{bound(-1), bound(1)};
  return std::nullopt;
}

inline bool usable(float scale) { return std::isfinite(scale) && scale > 0; }

inline std::string dtype_text(const codegen::Value& v) { return std::string(to_string(v.dtype)); }

}  // namespace detail

// Refuses what is not an i8, u8 or i16 value with one scale > 0, a zero point in range, and 1 to 2^31 - 1 bytes. `role`
// names it in the text: "input".
[[nodiscard]] inline std::optional<codegen::Verdict> refuse_unless_quantised(const codegen::Value& v,
                                                                             std::string_view role) {
  const std::string who(role);
  if (v.dtype != DType::i8 && v.dtype != DType::u8 && v.dtype != DType::i16)
    return refuse(codegen::Reason::unsupported_dtype,
                  who + ": found " + detail::dtype_text(v) + ", expected i8, u8 or i16");
  if (v.quantisation.per_axis() || v.quantisation.scales.size() != 1)
    return refuse(codegen::Reason::unsupported_quantisation,
                  who + ": found " + std::to_string(v.quantisation.scales.size()) + " scales, expected one");
  const std::int64_t zero = v.quantisation.zero_points.empty() ? 0 : v.quantisation.zero_points[0];
  const Clamp range = range_of(v);
  if (!detail::usable(v.quantisation.scales[0]) || zero < range.low || zero > range.high)
    return refuse(codegen::Reason::unsupported_quantisation,
                  who + ": found scale " + std::to_string(v.quantisation.scales[0]) + " and zero point " +
                      std::to_string(zero) + ", expected a scale > 0 and a zero point in [" +
                      std::to_string(range.low) + ", " + std::to_string(range.high) + "]");
  if (v.elements() == 0 || v.bytes() > 0x7fffffff)
    return refuse(codegen::Reason::unsupported_shape,
                  who + ": found shape " + shape_text(v.dims) + ", expected 1 to 2^31 - 1 elements");
  return std::nullopt;
}

// As refuse_unless_quantised(), for i8 and u8 only.
[[nodiscard]] inline std::optional<codegen::Verdict> refuse_unless_8bit(const codegen::Value& v,
                                                                        std::string_view role) {
  if (v.dtype == DType::i8 || v.dtype == DType::u8) return refuse_unless_quantised(v, role);
  return refuse(codegen::Reason::unsupported_dtype,
                std::string(role) + ": found " + detail::dtype_text(v) + ", expected i8 or u8");
}

// As refuse_unless_8bit(), for i8 only.
[[nodiscard]] inline std::optional<codegen::Verdict> refuse_unless_s8(const codegen::Value& v, std::string_view role) {
  if (v.dtype == DType::i8) return refuse_unless_8bit(v, role);
  return refuse(codegen::Reason::unsupported_dtype,
                std::string(role) + ": found " + detail::dtype_text(v) + ", expected i8");
}

// Weights with output channels along `axis`, with a scale each or one. Refuses what is not i8 or u8 (computed ones: not
// i8), zero points out of range, scales that are not > 0 or not as many as channels.
[[nodiscard]] inline std::optional<codegen::Verdict> refuse_weights(const codegen::Value& w, std::size_t axis) {
  if (!w.is_constant && w.dtype != DType::i8)
    return refuse(codegen::Reason::unsupported_dtype,
                  "weights: found computed " + detail::dtype_text(w) + ", expected i8");
  if (w.dtype != DType::i8 && w.dtype != DType::u8)
    return refuse(codegen::Reason::unsupported_dtype,
                  "weights: found " + detail::dtype_text(w) + ", expected i8 or u8");
  const Quantisation& q = w.quantisation;
  const bool per_channel = q.per_axis() && q.scales.size() > 1;
  if (q.scales.empty() || (per_channel && (static_cast<std::size_t>(q.axis) != axis ||
                                           q.scales.size() != static_cast<std::size_t>(w.dims.at(axis)))))
    return refuse(codegen::Reason::unsupported_quantisation,
                  "weights: found " + std::to_string(q.scales.size()) + " scales on axis " + std::to_string(q.axis) +
                      ", expected one, or one for each output channel on axis " + std::to_string(axis));
  if (!std::all_of(q.scales.begin(), q.scales.end(), detail::usable))
    return refuse(codegen::Reason::unsupported_quantisation, "weights: found a scale that is not above 0");
  if (!q.zero_points.empty() && q.zero_points.size() != 1 && q.zero_points.size() != q.scales.size())
    return refuse(codegen::Reason::unsupported_quantisation, "weights: found " + std::to_string(q.zero_points.size()) +
                                                                 " zero points for " + std::to_string(q.scales.size()) +
                                                                 " scales");
  const Clamp range = range_of(w);
  for (const std::int64_t zero : q.zero_points)
    if (zero < range.low || zero > range.high)
      return refuse(codegen::Reason::unsupported_quantisation,
                    "weights: found zero point " + std::to_string(zero) + ", expected one of " + detail::dtype_text(w));
  return std::nullopt;
}

// Refuses a bias that is neither i32 nor i64, or has not one element a channel. Null: there is none.
[[nodiscard]] inline std::optional<codegen::Verdict> refuse_bias(const codegen::Value* bias, std::int64_t channels) {
  if (!bias) return std::nullopt;
  if (bias->dtype != DType::i32 && bias->dtype != DType::i64)
    return refuse(codegen::Reason::unsupported_dtype,
                  "bias: found " + detail::dtype_text(*bias) + ", expected i32 or i64");
  if (bias->elements() != channels)
    return refuse(codegen::Reason::unsupported_shape, "bias: found shape " + shape_text(bias->dims) + ", expected " +
                                                          std::to_string(channels) + " elements");
  return std::nullopt;
}

// Element `i` of constant weights of i8 or u8, with its zero point.
[[nodiscard]] inline std::int64_t weight_element(const codegen::Value& w, std::size_t i) {
  if (w.dtype == DType::u8) return static_cast<std::uint8_t>(w.data[i]);
  return static_cast<std::int8_t>(w.data[i]);
}

// True for a constant of i8 or u8 whose every weight without its zero point is a signed number of `bits` bits. `axis`:
// of the zero points, where there are several.
[[nodiscard]] inline bool weights_fit(const codegen::Value& w, std::size_t axis, unsigned bits) {
  if (!w.is_constant) return false;
  const std::int64_t highest = (std::int64_t{1} << (bits - 1)) - 1;
  const auto& zeros = w.quantisation.zero_points;
  std::size_t inner = 1;
  for (std::size_t d = axis + 1; d < w.dims.size(); ++d) inner *= static_cast<std::size_t>(w.dims[d]);
  for (std::size_t i = 0; i < w.data.size(); ++i) {
    const std::size_t channel = zeros.size() <= 1 ? 0 : i / inner % static_cast<std::size_t>(w.dims[axis]);
    const std::int64_t value = weight_element(w, i) - (zeros.empty() ? 0 : zeros[channel]);
    if (value < -highest - 1 || value > highest) return false;
  }
  return true;
}
[[nodiscard]] inline bool weights_fit_s8(const codegen::Value& w, std::size_t axis) { return weights_fit(w, axis, 8); }

// The i8 or u8 weights of a constant with its zero points taken off, which weights_fit_s8. `channel_of(i)` gives the
// channel of element i.
template <class ChannelOf>
[[nodiscard]] std::vector<std::int8_t> weights_s8(const codegen::Value& w, ChannelOf channel_of) {
  std::vector<std::int8_t> out(w.data.size());
  const auto& zeros = w.quantisation.zero_points;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t zero = zeros.empty()       ? 0
                              : zeros.size() == 1 ? zeros[0]
                                                  : zeros[static_cast<std::size_t>(channel_of(i))];
    out[i] = static_cast<std::int8_t>(weight_element(w, i) - zero);
  }
  return out;
}

// The elements of a constant bias of i32 or i64, modulo 2^32 like the sum that it is added to; zeros where it is null.
[[nodiscard]] inline std::vector<std::int32_t> bias_s32(const codegen::Value* bias, std::int64_t channels) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(channels), 0);
  if (!bias) return out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (bias->dtype == DType::i32) {
      std::memcpy(&out[i], bias->data.data() + 4 * i, 4);
    } else {
      std::int64_t wide = 0;
      std::memcpy(&wide, bias->data.data() + 8 * i, 8);
      out[i] = static_cast<std::int32_t>(wide);  // the sum is an int32 that wraps
    }
  }
  return out;
}

}  // namespace byoc::nodes
