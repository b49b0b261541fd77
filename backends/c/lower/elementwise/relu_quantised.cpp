// Relu on i8: requantises where the output's scale differs.
#include <algorithm>

#include "backends/c/lower/elementwise/lookup_quantised.hpp"
#include "backends/c/lower/elementwise/unary_quantised.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "byoc/onnx.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {

codegen::Verdict accepts_relu_quantised(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  if (region.values[node.inputs[0]].dtype == DType::i16) return accepts_piecewise(region, node);
  return accepts_lookup(region, node);
}

bool lower_relu_quantised(Emitter& emitter, const codegen::Node& node) {
  if (emitter.input(node, 0)->dtype == DType::i16) return lower_piecewise(emitter, node);
  const Affine from = affine(*emitter.input(node, 0)), to = affine(emitter.value(node.outputs[0]));
  const Multiplier m = tflite::relu_multiplier(from, to);
  return lower_lookup(emitter, node, [&](std::int32_t q) -> std::int64_t {
    if (emitter.region.requant == Requant::tflite)
      return std::max<std::int64_t>(std::int64_t{multiply(q - from.zero, m)} + to.zero, to.zero);
    return onnx::quantise(std::max(onnx::dequantise(q, from), 0.0F), to);
  });
}

}  // namespace byoc::c
