// QuantizeLinear: fast kernels where scale and zero point are constants of one dim at most.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantise_any.hpp"
#include "backends/c/lower/quantise/quantise_elements.hpp"
#include "backends/c/lower/quantise/scale_operands.hpp"
#include "byoc/nodes/scales.hpp"

namespace byoc::c {
namespace {

std::optional<Quantisation> quantised_scales(const codegen::Region& region, const codegen::Node& node) {
  codegen::Verdict why;
  if (node.integer("block_size", 0) != 0 || node.integer("precision", 0) != 0) return std::nullopt;
  const std::size_t rank = region.values[node.inputs[0]].dims.size();
  auto q = read_scale_operands(region, node, 1, node.integer("axis", 1), rank, why);
  if (q && !accepts_quantise(region, node, *q).claimed) q.reset();
  return q;
}

}  // namespace

codegen::Verdict accepts_quantize_linear(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return quantised_scales(region, node) ? claim() : accepts_quantise_any(region, node);
}

bool lower_quantize_linear(Emitter& emitter, const codegen::Node& node) {
  const auto q = quantised_scales(emitter.region, node);
  return q ? lower_quantise(emitter, node, *q) : lower_quantise_any(emitter, node);
}

}  // namespace byoc::c
