#include "sdk/model/lift/products.hpp"

namespace byoc::lift {
namespace {

ir::Node finish(const ProductParts& p, ir::Node node, ir::ValueId weights, ir::ValueId bias) {
  node.stand_for(p.like);
  node.inputs = {p.x, weights};
  if (bias != ir::kNoValue) node.inputs.push_back(bias);
  node.outputs = {p.y};
  if (p.activation != "none") node.attributes["activation"] = std::string(p.activation);
  return node;
}

}  // namespace

std::optional<ir::Node> make_conv(Rewriter& r, const ProductParts& p) {
  const auto dims = r.type(p.weights.value).dims;
  if (!dims || dims->size() < 3 || (*dims)[0] < 1) return std::nullopt;
  if (p.weights.quantisation.per_axis() && p.weights.quantisation.axis != 0) return std::nullopt;
  const std::int64_t channels = (*dims)[0];
  const Products products{r.type(p.x).dtype, p.x_quantisation, p.weights,
                          p.y_quantisation,  channels,         r.type(p.weights.value).elements() / channels};
  const auto bias = integer_bias(r, p.bias, products);
  if (!bias) return std::nullopt;
  ir::Node node;
  node.op = "Conv";
  node.version = p.like.version;
  node.attributes = p.like.attributes;
  return finish(p, std::move(node), r.constant_with(p.weights.value, p.weights.quantisation), *bias);
}

std::optional<ir::Node> make_fully_connected(Rewriter& r, const ProductParts& p, bool transposed) {
  const auto x_dims = r.type(p.x).dims;  // a copy: making constants moves the values
  if (!x_dims || x_dims->empty()) return std::nullopt;
  const auto weights = units_by_depth(r, p.weights, transposed);
  if (!weights) return std::nullopt;
  const std::vector<ir::Dim> w_dims = *r.type(weights->value).dims;
  if (w_dims[0] < 1 || w_dims[1] < 1 || x_dims->back() != w_dims[1]) return std::nullopt;
  const Products products{r.type(p.x).dtype, p.x_quantisation, *weights, p.y_quantisation, w_dims[0], w_dims[1]};
  const auto bias = integer_bias(r, p.bias, products);
  if (!bias) return std::nullopt;
  ir::Node node;
  node.domain = "byoc";
  node.op = "FullyConnected";
  if (x_dims->size() != 2) node.attributes["keep_num_dims"] = std::int64_t{1};
  return finish(p, std::move(node), weights->value, *bias);
}

}  // namespace byoc::lift
