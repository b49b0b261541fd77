// QLinearConv: a convolution whose scales and zero points are operands.
#include "backends/c/lower/conv/conv_any.hpp"
#include "backends/c/lower/conv/conv_quantised.hpp"
#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {
namespace {

// The layer, if the 8-bit kernels support it: constant scales, zero points and weights.
std::optional<QuantisedLayer> packed_conv(const codegen::Region& region, const codegen::Node& node) {
  codegen::Verdict why;
  auto layer = qlinear_layer(region, node, 0, why);
  if (layer && !accepts_conv_layer(region, node, *layer).claimed) layer.reset();
  return layer;
}

}  // namespace

codegen::Verdict accepts_qlinear_conv(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return packed_conv(region, node) ? claim() : accepts_qlinear_conv_any(region, node);
}

std::vector<KernelOption> qlinear_conv_options(const LayerQuestion& q, const codegen::Node& node) {
  const auto layer = packed_conv(q.region, node);
  return layer ? conv_layer_options(q, node, *layer) : std::vector<KernelOption>();
}

bool lower_qlinear_conv(Emitter& emitter, const codegen::Node& node) {
  const auto layer = packed_conv(emitter.region, node);
  return layer ? lower_conv_layer(emitter, node, *layer) : lower_qlinear_conv_any(emitter, node);
}

}  // namespace byoc::c
