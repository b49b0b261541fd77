// Clip on i8 with constant real bounds. TFLite clamps in the input's units and does not requantise.
#include <algorithm>
#include <cstring>

#include "backends/c/lower/elementwise/lookup_quantised.hpp"
#include "backends/c/lower/elementwise/unary_quantised.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "byoc/onnx.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {
namespace {

struct GivenBounds {
  std::optional<float> low, high;
};

// Null: a bound that is no constant f32 scalar.
std::optional<GivenBounds> read_bounds(const codegen::Region& region, const codegen::Node& node) {
  GivenBounds bounds;
  for (std::size_t i = 1; i <= 2 && i < node.inputs.size(); ++i) {
    if (node.inputs[i] == codegen::kNoValue) continue;
    const codegen::Value& v = region.values[node.inputs[i]];
    if (!v.is_constant || v.dtype != DType::f32 || v.elements() != 1) return std::nullopt;
    float f = 0;
    std::memcpy(&f, v.data.data(), sizeof f);
    (i == 1 ? bounds.low : bounds.high) = f;
  }
  return bounds;
}

}  // namespace

codegen::Verdict accepts_clip_quantised(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  if (region.values[node.inputs[0]].dtype == DType::i16) return accepts_piecewise(region, node);
  if (!read_bounds(region, node))
    return refuse(codegen::Reason::not_constant, "bounds: found a computed value, expected constant f32 scalars");
  return accepts_lookup(region, node);
}

bool lower_clip_quantised(Emitter& emitter, const codegen::Node& node) {
  if (emitter.input(node, 0)->dtype == DType::i16) return lower_piecewise(emitter, node);
  const Affine from = affine(*emitter.input(node, 0)), to = affine(emitter.value(node.outputs[0]));
  const auto bounds = read_bounds(emitter.region, node);
  if (!bounds) return emitter.error(node, "found bounds that are not constant");
  return lower_lookup(emitter, node, [&](std::int32_t q) -> std::int64_t {
    if (emitter.region.requant == Requant::tflite) {
      std::int64_t v = q;
      if (bounds->low) v = std::max(v, tflite::quantise(*bounds->low, from));
      if (bounds->high) v = std::min(v, tflite::quantise(*bounds->high, from));
      return v;
    }
    float real = onnx::dequantise(q, from);
    if (bounds->low) real = std::max(real, *bounds->low);
    if (bounds->high) real = std::min(real, *bounds->high);
    return onnx::quantise(real, to);
  });
}

}  // namespace byoc::c
