#include "sdk/model/lift/fuse.hpp"
#include "sdk/model/lift/products.hpp"

namespace byoc::lift {

std::optional<ir::Node> fuse_conv(Rewriter& r, const Site& site) {
  const ir::ValueId x = r.dequantised_from(site.node.inputs[0]);
  const auto weights = dequantised_weights(r, site.node.inputs[1]);
  const Quantisation* xq = r.per_tensor(x);
  if (xq == nullptr || !weights) return std::nullopt;
  return make_conv(
      r, {site.node, x, *xq, *weights, site.node.input(2), site.y, *r.type(site.y).quantisation, site.activation});
}

}  // namespace byoc::lift
