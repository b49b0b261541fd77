// Gemm and MatMul by constant weights.
#include "sdk/model/lift/fuse.hpp"
#include "sdk/model/lift/products.hpp"

namespace byoc::lift {
namespace {

// True if a bias [..., n] is added to every row alike: all its dims but the last are 1, or it is a single element.
bool is_row(const ir::TensorType& bias, std::int64_t n) {
  if (!bias.is_static()) return false;
  return bias.elements() == 1 || (!bias.dims->empty() && bias.dims->back() == n && bias.elements() == n);
}

std::optional<ir::Node> fuse_dense(Rewriter& r, const Site& site, const ir::Node& product, ir::ValueId bias,
                                   bool transposed) {
  const ir::ValueId x = r.dequantised_from(product.inputs[0]);
  const auto weights = dequantised_weights(r, product.inputs[1]);
  const Quantisation* xq = r.per_tensor(x);
  if (xq == nullptr || !weights || !r.type(weights->value).dims || r.type(weights->value).dims->size() != 2)
    return std::nullopt;
  const std::int64_t units = (*r.type(weights->value).dims)[transposed ? 0 : 1];
  if (bias != ir::kNoValue && !is_row(r.type(bias), units)) return std::nullopt;
  return make_fully_connected(
      r, {product, x, *xq, *weights, bias, site.y, *r.type(site.y).quantisation, site.activation}, transposed);
}

}  // namespace

std::optional<ir::Node> fuse_gemm(Rewriter& r, const Site& site) {
  const ir::Node& n = site.node;
  const ir::ValueId bias = n.input(2);
  if (n.integer("transA", 0) != 0 || n.real("alpha", 1) != 1) return std::nullopt;
  if (bias != ir::kNoValue && n.real("beta", 1) != 1) return std::nullopt;
  return fuse_dense(r, site, n, bias, n.integer("transB", 0) != 0);
}

std::optional<ir::Node> fuse_matmul(Rewriter& r, const Site& site) {
  return fuse_dense(r, site, site.node, ir::kNoValue, false);
}

std::optional<ir::Node> fuse_add(Rewriter& r, const Site& site) {
  if (auto sum = fuse_arithmetic(r, site)) return sum;
  for (std::size_t i = 0; i < 2; ++i) {
    const ir::ValueId sum = site.node.inputs[i];
    const ir::Node* product = r.producer(sum);
    if (product == nullptr || r.stays(*product) || !product->is("", "MatMul") || r.reads(sum) != 1) continue;
    // The bias must not add dims to the product.
    if (r.type(sum).dims != r.type(site.node.outputs[0]).dims) continue;
    if (auto node = fuse_dense(r, site, *product, site.node.inputs[1 - i], false)) return node;
  }
  return std::nullopt;
}

}  // namespace byoc::lift
