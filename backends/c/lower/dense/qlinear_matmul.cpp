// QLinearMatMul: a product whose scales and zero points are operands.
#include "backends/c/lower/dense/dense_quantised.hpp"
#include "backends/c/lower/dense/matmul_any.hpp"
#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {
namespace {

// The layer, if the 8-bit kernels support it: a constant matrix, constant scales and zero points.
std::optional<QuantisedLayer> packed_matmul(const codegen::Region& region, const codegen::Node& node) {
  codegen::Verdict why;
  auto layer = qlinear_layer(region, node, 1, why);
  if (layer && !accepts_dense(region, node, *layer, rows_by_matrix(layer->in, layer->weights)).claimed) layer.reset();
  return layer;
}

}  // namespace

codegen::Verdict accepts_qlinear_matmul(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return packed_matmul(region, node) ? claim() : accepts_qlinear_matmul_any(region, node);
}

std::vector<KernelOption> qlinear_matmul_options(const LayerQuestion& q, const codegen::Node& node) {
  const auto layer = packed_matmul(q.region, node);
  return layer ? dense_options(q, *layer, rows_by_matrix(layer->in, layer->weights)) : std::vector<KernelOption>();
}

bool lower_qlinear_matmul(Emitter& emitter, const codegen::Node& node) {
  const auto layer = packed_matmul(emitter.region, node);
  return layer ? lower_dense_quantised(emitter, node, *layer, rows_by_matrix(layer->in, layer->weights))
               : lower_qlinear_matmul_any(emitter, node);
}

}  // namespace byoc::c
