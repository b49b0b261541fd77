// QuantizeLinear: scale and zero point are constant operands.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise_elements.hpp"
#include "backends/c/lower/scale_operands.hpp"

namespace byoc::c {
namespace {

std::optional<Quantisation> read(const codegen::Region& region, const codegen::Node& node, codegen::Verdict& why) {
  return read_scale_operands(region, node, 1, node.integer("axis", 1), region.values[node.inputs[0]].dims.size(), why);
}

}  // namespace

codegen::Verdict accepts_quantize_linear(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  codegen::Verdict why;
  const auto q = read(region, node, why);
  return q ? accepts_quantise(region, node, *q) : why;
}

bool lower_quantize_linear(Emitter& emitter, const codegen::Node& node) {
  codegen::Verdict why;
  const auto q = read(emitter.region, node, why);
  return q ? lower_quantise(emitter, node, *q) : emitter.error(node, why.text);
}

}  // namespace byoc::c
