// Add, Sub, Mul, Div of two quantised tensors; means; clamps. With requant = onnx these are computed in float32 from
// the dequantised operands and quantised once, exactly as the literal form does, so nothing changes but the form.
#include "sdk/model/lift/fuse.hpp"

namespace byoc::lift {
namespace {

// The integers that input `i` is dequantised from, if they are quantised per tensor and of the type of `y`.
ir::ValueId operand(const Rewriter& r, const Site& site, std::size_t i) {
  const ir::ValueId v = r.dequantised_from(site.node.inputs[i]);
  if (r.per_tensor(v) == nullptr || r.type(v).dtype != r.type(site.y).dtype) return ir::kNoValue;
  return v;
}

}  // namespace

ir::Node on_integers(const Site& site, std::vector<ir::ValueId> inputs) {
  ir::Node node = site.node;
  node.inputs = std::move(inputs);
  node.outputs = {site.y};
  if (site.activation != "none") node.attributes["activation"] = std::string(site.activation);
  return node;
}

std::optional<ir::Node> fuse_arithmetic(Rewriter& r, const Site& site) {
  const ir::ValueId a = operand(r, site, 0);
  const ir::ValueId b = operand(r, site, 1);
  if (a == ir::kNoValue || b == ir::kNoValue) return std::nullopt;
  return on_integers(site, {a, b});
}

std::optional<ir::Node> fuse_first(Rewriter& r, const Site& site) {
  std::vector<ir::ValueId> inputs = site.node.inputs;
  inputs[0] = operand(r, site, 0);
  if (inputs[0] == ir::kNoValue) return std::nullopt;
  return on_integers(site, std::move(inputs));
}

}  // namespace byoc::lift
