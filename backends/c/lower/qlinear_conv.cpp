// QLinearConv: a convolution whose scales and zero points are operands.
#include "backends/c/lower/conv_quantised.hpp"
#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {

codegen::Verdict accepts_qlinear_conv(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  codegen::Verdict why;
  const auto layer = qlinear_layer(region, node, 0, why);
  return layer ? accepts_conv_layer(region, node, *layer) : why;
}

bool lower_qlinear_conv(Emitter& emitter, const codegen::Node& node) {
  codegen::Verdict why;
  const auto layer = qlinear_layer(emitter.region, node, 0, why);
  return layer ? lower_conv_layer(emitter, node, *layer) : emitter.error(node, why.text);
}

}  // namespace byoc::c
