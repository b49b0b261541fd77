// Gemm on i8 with constant weights: alpha and beta 1, the first operand as it is.
#include "backends/c/lower/dense/dense_quantised.hpp"
#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/quantise/quantised.hpp"

namespace byoc::c {
codegen::Verdict accepts_gemm_quantised(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  if (node.integer("transA", 0) != 0)
    return refuse(codegen::Reason::unsupported_attribute, "found transA 1 on i8, expected 0");
  if (node.real("alpha", 1) != 1 || node.real("beta", 1) != 1)
    return refuse(codegen::Reason::unsupported_attribute, "found alpha or beta on i8, expected 1");
  return accepts_dense(region, node, lifted_layer(region, node), read_gemm_rows(region, node));
}

std::vector<KernelOption> gemm_options(const LayerQuestion& q, const codegen::Node& node) {
  if (!q.region.values[node.inputs[0]].quantised()) return {};
  return dense_options(q, lifted_layer(q.region, node), read_gemm_rows(q.region, node));
}

bool lower_gemm_quantised(Emitter& emitter, const codegen::Node& node) {
  return lower_dense_quantised(emitter, node, lifted_layer(emitter.region, node), read_gemm_rows(emitter.region, node));
}

}  // namespace byoc::c
