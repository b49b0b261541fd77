// DequantizeLinear: fast kernels where scale and zero point are constants of one dim at most.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantise_any.hpp"
#include "backends/c/lower/quantise/quantise_elements.hpp"
#include "backends/c/lower/quantise/scale_operands.hpp"
#include "byoc/nodes/scales.hpp"

namespace byoc::c {
namespace {

std::optional<Quantisation> dequantised_scales(const codegen::Region& region, const codegen::Node& node) {
  codegen::Verdict why;
  if (node.integer("block_size", 0) != 0) return std::nullopt;
  const std::size_t rank = region.values[node.inputs[0]].dims.size();
  auto q = read_scale_operands(region, node, 1, node.integer("axis", 1), rank, why);
  if (q && !accepts_dequantise(region, node, *q).claimed) q.reset();
  return q;
}

}  // namespace

codegen::Verdict accepts_dequantize_linear(const codegen::Region& region, const codegen::Node& node,
                                           const TargetSpec&) {
  return dequantised_scales(region, node) ? claim() : accepts_quantise_any(region, node);
}

bool lower_dequantize_linear(Emitter& emitter, const codegen::Node& node) {
  const auto q = dequantised_scales(emitter.region, node);
  return q ? lower_dequantise(emitter, node, *q) : lower_quantise_any(emitter, node);
}

}  // namespace byoc::c
