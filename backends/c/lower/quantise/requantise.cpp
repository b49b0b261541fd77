#include "backends/c/lower/quantise/requantise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "backends/c/lower/step/parameter_text.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

float weight_scale(const Value& w, std::size_t channel) {
  const auto& scales = w.quantisation.scales;
  return scales.size() == 1 ? scales[0] : scales[channel];
}

double tflite_scale(const Value& in, float weight, const Value& out) {
  return static_cast<double>(affine(in).scale) * static_cast<double>(weight) / static_cast<double>(affine(out).scale);
}

bool usable(float scale) { return std::isfinite(scale) && scale > 0; }

std::string dtype_text(const Value& v) { return std::string(to_string(v.dtype)); }

}  // namespace

Clamp range_of(const Value& v) {
  switch (v.dtype) {
    case DType::u8: return {0, 255};
    case DType::u16: return {0, 65535};
    case DType::i16: return {-32768, 32767};
    default: return {};
  }
}

Multiplier quantise_multiplier(double value) {
  if (value == 0) return {};
  Multiplier out;
  int exponent = 0;
  auto q = static_cast<std::int64_t>(std::round(std::frexp(value, &exponent) * 2147483648.0));
  if (q == std::int64_t{1} << 31) {
    q /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  out.q = static_cast<std::int32_t>(q);
  out.shift = exponent;
  return out;
}

std::int32_t multiply(std::int32_t x, const Multiplier& m) {
  const std::int64_t left = std::int64_t{x} << std::max(m.shift, 0);
  const std::int64_t high = (left * m.q + (std::int64_t{1} << 30)) >> 31;
  const int right = std::max(-m.shift, 0);
  if (right == 0) return static_cast<std::int32_t>(high);
  const std::int64_t half = std::int64_t{1} << (right - 1);
  return static_cast<std::int32_t>(high >= 0 ? (high + half) >> right : -((-high + half) >> right));
}

Affine affine(const Value& v) {
  const auto& q = v.quantisation;
  return {q.scales.at(0), q.zero_points.empty() ? 0 : static_cast<std::int32_t>(q.zero_points[0])};
}

std::string shape_text(const std::vector<std::int64_t>& dims) {
  std::string out = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) out += (i ? "," : "") + std::to_string(dims[i]);
  return out + "]";
}

std::optional<Verdict> refuse_unless_8bit(const Value& v, std::string_view role) {
  if (v.dtype == DType::i8 || v.dtype == DType::u8) return refuse_unless_quantised(v, role);
  return refuse(Reason::unsupported_dtype, std::string(role) + ": found " + dtype_text(v) + ", expected i8 or u8");
}

std::optional<Verdict> refuse_unless_quantised(const Value& v, std::string_view role) {
  const std::string who(role);
  if (v.dtype != DType::i8 && v.dtype != DType::u8 && v.dtype != DType::i16)
    return refuse(Reason::unsupported_dtype, who + ": found " + dtype_text(v) + ", expected i8, u8 or i16");
  if (v.quantisation.per_axis() || v.quantisation.scales.size() != 1)
    return refuse(Reason::unsupported_quantisation,
                  who + ": found " + std::to_string(v.quantisation.scales.size()) + " scales, expected one");
  const std::int64_t zero = v.quantisation.zero_points.empty() ? 0 : v.quantisation.zero_points[0];
  const Clamp range = range_of(v);
  if (!usable(v.quantisation.scales[0]) || zero < range.low || zero > range.high)
    return refuse(Reason::unsupported_quantisation,
                  who + ": found scale " + std::to_string(v.quantisation.scales[0]) + " and zero point " +
                      std::to_string(zero) + ", expected a scale > 0 and a zero point in [" +
                      std::to_string(range.low) + ", " + std::to_string(range.high) + "]");
  if (v.elements() == 0 || v.bytes() > 0x7fffffff)
    return refuse(Reason::unsupported_shape,
                  who + ": found shape " + shape_text(v.dims) + ", expected 1 to 2^31 - 1 elements");
  return std::nullopt;
}

std::optional<Verdict> refuse_unless_s8(const Value& v, std::string_view role) {
  if (v.dtype == DType::i8) return refuse_unless_8bit(v, role);
  return refuse(Reason::unsupported_dtype, std::string(role) + ": found " + dtype_text(v) + ", expected i8");
}

std::optional<Clamp> activation_clamp(const Region& region, const Node& node, const Value& y) {
  const std::string activation = node.text("activation", "none");
  const Affine out = affine(y);
  const Clamp range = range_of(y);
  const auto quantise = [&](float real) {
    const float steps = real / out.scale;
    const float rounded = region.requant == Requant::tflite ? std::round(steps) : std::nearbyint(steps);
    return static_cast<std::int32_t>(std::clamp(static_cast<float>(out.zero) + rounded, -1e6F, 1e6F));
  };
  Clamp c = range;
  if (activation == "none") return c;
  if (activation == "relu") {
    c.low = quantise(0);
  } else if (activation == "relu6") {
    c.low = quantise(0);
    c.high = quantise(6);
  } else if (activation == "relu_n1_to_1") {
    c.low = quantise(-1);
    c.high = quantise(1);
  } else {
    return std::nullopt;
  }
  return Clamp{std::max(c.low, range.low), std::min(c.high, range.high)};
}

std::optional<Verdict> refuse_weights(const Value& w, std::size_t axis) {
  if (!w.is_constant && w.dtype != DType::i8)
    return refuse(Reason::unsupported_dtype, "weights: found computed " + dtype_text(w) + ", expected i8");
  if (w.dtype != DType::i8 && w.dtype != DType::u8)
    return refuse(Reason::unsupported_dtype, "weights: found " + dtype_text(w) + ", expected i8 or u8");
  const Quantisation& q = w.quantisation;
  const bool per_channel = q.per_axis() && q.scales.size() > 1;
  if (q.scales.empty() || (per_channel && (static_cast<std::size_t>(q.axis) != axis ||
                                           q.scales.size() != static_cast<std::size_t>(w.dims.at(axis)))))
    return refuse(Reason::unsupported_quantisation,
                  "weights: found " + std::to_string(q.scales.size()) + " scales on axis " + std::to_string(q.axis) +
                      ", expected one, or one for each output channel on axis " + std::to_string(axis));
  if (!std::all_of(q.scales.begin(), q.scales.end(), usable))
    return refuse(Reason::unsupported_quantisation, "weights: found a scale that is not above 0");
  if (!q.zero_points.empty() && q.zero_points.size() != 1 && q.zero_points.size() != q.scales.size())
    return refuse(Reason::unsupported_quantisation, "weights: found " + std::to_string(q.zero_points.size()) +
                                                        " zero points for " + std::to_string(q.scales.size()) +
                                                        " scales");
  const Clamp range = range_of(w);
  for (const std::int64_t zero : q.zero_points)
    if (zero < range.low || zero > range.high)
      return refuse(Reason::unsupported_quantisation,
                    "weights: found zero point " + std::to_string(zero) + ", expected one of " + dtype_text(w));
  return std::nullopt;
}

bool weights_fit_s8(const Value& w, std::size_t axis) {
  if (!w.is_constant) return false;
  const auto& zeros = w.quantisation.zero_points;
  std::size_t inner = 1;
  for (std::size_t d = axis + 1; d < w.dims.size(); ++d) inner *= static_cast<std::size_t>(w.dims[d]);
  for (std::size_t i = 0; i < w.data.size(); ++i) {
    const std::size_t channel = zeros.size() <= 1 ? 0 : i / inner % static_cast<std::size_t>(w.dims[axis]);
    const std::int64_t value = weight_element(w, i) - (zeros.empty() ? 0 : zeros[channel]);
    if (value < -128 || value > 127) return false;
  }
  return true;
}

std::optional<Verdict> refuse_bias(const Value* bias, std::int64_t channels) {
  if (!bias) return std::nullopt;
  if (bias->dtype != DType::i32 && bias->dtype != DType::i64)
    return refuse(Reason::unsupported_dtype, "bias: found " + dtype_text(*bias) + ", expected i32 or i64");
  if (bias->elements() != channels)
    return refuse(Reason::unsupported_shape, "bias: found shape " + shape_text(bias->dims) + ", expected " +
                                                 std::to_string(channels) + " elements");
  return std::nullopt;
}

std::optional<Verdict> refuse_scales(Scaling scaling, const Value& in, const Value& w, const Value& out) {
  if (scaling != Scaling::tflite && scaling != Scaling::wide) return std::nullopt;
  const std::int32_t most = scaling == Scaling::wide ? 7 : 30;
  for (std::size_t c = 0; c < w.quantisation.scales.size(); ++c) {
    const Multiplier m = quantise_multiplier(tflite_scale(in, weight_scale(w, c), out));
    if (m.shift > most)
      return refuse(Reason::unsupported_quantisation, "found an output multiplier of 2^" + std::to_string(m.shift) +
                                                          ", expected below 2^" + std::to_string(most));
  }
  return std::nullopt;
}

std::vector<std::int32_t> bias_s32(const Value* bias, std::int64_t channels) {
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

namespace {

// The largest |sum| of `channels` output channels: products of differences of 8-bit numbers, 2^31 where it could wrap.
std::int64_t largest_sum(const Value& weights, const Value* bias, std::int64_t channels) {
  const std::int64_t depth = weights.elements() / std::max<std::int64_t>(channels, 1);
  if (bias && !bias->is_constant) return std::int64_t{1} << 31;
  std::int64_t largest = 0;
  for (const std::int32_t b : bias_s32(bias, channels)) largest = std::max(largest, std::abs(std::int64_t{b}));
  return std::min(largest + depth * 255 * 255, std::int64_t{1} << 31);
}

// Scales of 24 bits as byoc_scale takes them. x * scale = x * odd * 2^(twos + exponent - 24) is half way only for an
// x that is an odd multiple of 2^(23 - exponent - twos).
Multiplier exact_multiplier(float scale, std::int64_t largest) {
  Multiplier m;
  const float fraction = std::frexp(scale, &m.shift);
  if (m.shift < -31) return {};  // every sum rounds to 0
  m.q = static_cast<std::int32_t>(std::ldexp(static_cast<double>(fraction), 31));
  const int twos = std::countr_zero(static_cast<std::uint32_t>(m.q)) - 7;
  const int step = 23 - m.shift - twos;
  const bool ties = step >= 0 && step <= 31 && largest >= std::int64_t{1} << step;
  m.shift = std::min(m.shift, 30);  // beyond, every sum but 0 saturates
  if (ties) m.shift += 64;
  return m;
}

float onnx_scale(const Value& in, const Value& weights, const Value& out, std::size_t channel) {
  return affine(in).scale * weight_scale(weights, channel) / affine(out).scale;
}

}  // namespace

bool fits_vectors(Scaling scaling, const Value& in, const Value& weights, const Value* bias, const Value& out,
                  std::int64_t channels) {
  if (scaling != Scaling::exact) return true;
  const std::int64_t largest = largest_sum(weights, bias, channels);
  for (std::size_t c = 0; c < weights.quantisation.scales.size(); ++c)
    if (exact_multiplier(onnx_scale(in, weights, out, c), largest).shift > -2) return false;
  return true;
}

namespace {

// TFLite's MultiplyByQuantizedMultiplier of int64: the multiplier reduced to 16 bits, then one shift to the right.
Multiplier wide_multiplier(double value) {
  const Multiplier m = quantise_multiplier(value);
  return {m.q >= 0x7FFF0000 ? 0x7FFF : (m.q + (1 << 15)) >> 16, 15 - m.shift};
}

Multiplier multiplier(Scaling scaling, const Value& in, const Value& weights, const Value& out, std::size_t channel,
                      std::int64_t largest) {
  if (scaling == Scaling::exact) return exact_multiplier(onnx_scale(in, weights, out, channel), largest);
  const double value = tflite_scale(in, weight_scale(weights, channel), out);
  return scaling == Scaling::wide ? wide_multiplier(value) : quantise_multiplier(value);
}

// The byoc_requant_t initialiser with this bias.
std::string requant_text(Emitter& emitter, Scaling scaling, const std::string& name, const Value& in,
                         const Value& weights, const Value* bias, const Value& out, Clamp clamp, std::int64_t channels,
                         const std::string& bias_symbol) {
  const std::size_t scales = weights.quantisation.scales.size();
  std::string scale_symbol, shift_symbol = "0";
  if (scaling == Scaling::onnx) {
    std::vector<float> values;
    for (std::size_t c = 0; c < scales; ++c) values.push_back(onnx_scale(in, weights, out, c));
    scale_symbol = emitter.constant<float>(name + "_scale", values, false);
  } else {
    const std::int64_t largest = scaling == Scaling::exact ? largest_sum(weights, bias, channels) : 0;
    std::vector<std::int32_t> values;
    std::vector<std::int8_t> shifts;
    for (std::size_t c = 0; c < scales; ++c) {
      const Multiplier m = multiplier(scaling, in, weights, out, c, largest);
      values.push_back(m.q);
      shifts.push_back(static_cast<std::int8_t>(m.shift));
    }
    scale_symbol = emitter.constant<std::int32_t>(name + "_multiplier", values, false);
    shift_symbol = emitter.constant<std::int8_t>(name + "_shift", shifts, false, 1);
  }
  return ParameterText()
      .add("bias", bias_symbol)
      .add("scale", scale_symbol)
      .add("shift", shift_symbol)
      .add("step", scales > 1 ? 1 : 0)
      .add("zero", affine(out).zero)
      .add("min", clamp.low)
      .add("max", clamp.high)
      .nested();
}

}  // namespace

std::string emit_requant(Emitter& emitter, Scaling scaling, std::string_view stem, const Value& in,
                         const Value& weights, const Value* bias, const Value& out, Clamp clamp,
                         std::span<const std::int64_t> sums) {
  const std::string name(stem);
  const auto channels = static_cast<std::int64_t>(sums.size());
  std::vector<std::int32_t> biases = bias_s32(bias, channels);
  for (std::size_t c = 0; c < sums.size(); ++c)
    biases[c] = static_cast<std::int32_t>(biases[c] - affine(in).zero * sums[c]);  // modulo 2^32 like the sum
  return requant_text(emitter, scaling, name, in, weights, bias, out, clamp, channels,
                      emitter.constant<std::int32_t>(name + "_bias", biases, true));
}

std::string emit_scales(Emitter& emitter, Scaling scaling, std::string_view stem, const Value& in, const Value& weights,
                        const Value* bias, const Value& out, Clamp clamp, std::int64_t channels) {
  return requant_text(emitter, scaling, std::string(stem), in, weights, bias, out, clamp, channels, "0");
}

Path kernel_path(Scaling scaling, const TargetSpec& target) {
  // The scales of ONNX's own products are floats.
  if (target.has("mve") && (scaling != Scaling::onnx || target.has("mve.fp"))) return Path::mve;
  return target.has("dsp") ? Path::dsp : Path::portable;
}

std::string path_stem(std::string_view stem, Path path) {
  return std::string(stem) + (path == Path::mve ? "_mve" : path == Path::dsp ? "_dsp" : "");
}

std::string_view requant_suffix(Scaling scaling) {
  switch (scaling) {
    case Scaling::tflite: return "";
    case Scaling::onnx: return "_onnx";
    case Scaling::exact: return "_exact";
    case Scaling::wide: return "_wide";
  }
  return "";
}

std::string_view requant_suffix(const codegen::Region& region) {
  return requant_suffix(region.requant == Requant::onnx ? Scaling::onnx : Scaling::tflite);
}

Kernel requant_kernel(Scaling scaling, const std::string& stem) {
  Kernel k{stem + ".c", "byoc_" + stem + std::string(requant_suffix(scaling)), {}};
  if (scaling == Scaling::onnx) k.defines["BYOC_REQUANT_ONNX"] = "1";
  if (scaling == Scaling::exact) k.defines["BYOC_REQUANT_EXACT"] = "1";
  if (scaling == Scaling::wide) k.defines["BYOC_REQUANT_WIDE"] = "1";
  return k;
}

Kernel requant_kernel(const codegen::Region& region, const std::string& stem) {
  return requant_kernel(region.requant == Requant::onnx ? Scaling::onnx : Scaling::tflite, stem);
}

}  // namespace byoc::c
