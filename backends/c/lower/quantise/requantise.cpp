#include "backends/c/lower/quantise/requantise.hpp"

#include "backends/c/lower/step/parameter_text.hpp"

namespace byoc::c {

using codegen::Value;

namespace {

// Added to the shift of a channel whose sums may be half way between two results (byoc_requant.h).
constexpr std::int32_t kTies = 64;

// The byoc_requant_t initialiser with this bias.
std::string requant_text(Emitter& emitter, Scaling scaling, const std::string& name, const Value& in,
                         const Value& weights, const Value* bias, const Value& out, Clamp clamp, std::int64_t channels,
                         const std::string& bias_symbol) {
  const SumFactors factors = sum_factors(scaling, in, weights, bias, out, channels);
  std::string scale_symbol, shift_symbol = "0";
  if (scaling == Scaling::onnx) {
    scale_symbol = emitter.constant<float>(name + "_scale", factors.scales, false);
  } else {
    std::vector<std::int32_t> values;
    std::vector<std::int8_t> shifts;
    for (std::size_t c = 0; c < factors.multipliers.size(); ++c) {
      const bool ties = scaling == Scaling::exact && factors.ties[c];
      values.push_back(factors.multipliers[c].q);
      shifts.push_back(static_cast<std::int8_t>(factors.multipliers[c].shift + (ties ? kTies : 0)));
    }
    scale_symbol = emitter.constant<std::int32_t>(name + "_multiplier", values, false);
    shift_symbol = emitter.constant<std::int8_t>(name + "_shift", shifts, false, 1);
  }
  return ParameterText()
      .add("bias", bias_symbol)
      .add("scale", scale_symbol)
      .add("shift", shift_symbol)
      .add("step", weights.quantisation.scales.size() > 1 ? 1 : 0)
      .add("zero", affine(out).zero)
      .add("min", clamp.low)
      .add("max", clamp.high)
      .nested("byoc_requant_t");
}

}  // namespace

std::string emit_requant(Emitter& emitter, Scaling scaling, std::string_view stem, const Value& in,
                         const Value& weights, const Value* bias, const Value& out, Clamp clamp,
                         std::span<const std::int64_t> sums) {
  const std::string name(stem);
  return requant_text(emitter, scaling, name, in, weights, bias, out, clamp, static_cast<std::int64_t>(sums.size()),
                      emitter.constant<std::int32_t>(name + "_bias", folded_bias(bias, affine(in).zero, sums), true));
}

std::string emit_scales(Emitter& emitter, Scaling scaling, std::string_view stem, const Value& in, const Value& weights,
                        const Value* bias, const Value& out, Clamp clamp, std::int64_t channels) {
  return requant_text(emitter, scaling, std::string(stem), in, weights, bias, out, clamp, channels, "0");
}

bool fits_vectors(Scaling scaling, const Value& in, const Value& weights, const Value* bias, const Value& out,
                  std::int64_t channels) {
  if (scaling != Scaling::exact) return true;
  const SumFactors f = sum_factors(scaling, in, weights, bias, out, channels);
  for (std::size_t c = 0; c < f.multipliers.size(); ++c)
    if (f.ties[c] || f.multipliers[c].shift > -2) return false;
  return true;
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
