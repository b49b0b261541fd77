// Conv: by the type of its values.
#include "backends/c/lower/conv/conv_any.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

// The fast kernels take weights that are laid out at export time.
bool is_packed(const codegen::Region& region, const codegen::Node& node) {
  const codegen::Value* bias = given_input(region, node, 2);
  return is_float(region, node) && region.values[node.inputs[1]].is_constant && (!bias || bias->is_constant);
}

}  // namespace

codegen::Verdict accepts_conv(const codegen::Region& region, const codegen::Node& node, const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) return accepts_conv_quantised(region, node, target);
  return is_packed(region, node) ? accepts_conv_float(region, node, target) : accepts_conv_real(region, node);
}

bool lower_conv(Emitter& emitter, const codegen::Node& node) {
  if (emitter.input(node, 0)->quantised()) return lower_conv_quantised(emitter, node);
  return is_packed(emitter.region, node) ? lower_conv_float(emitter, node) : lower_conv_real(emitter, node);
}

}  // namespace byoc::c
