#include "sdk/model/lift/qlinear.hpp"

#include "sdk/model/lift/products.hpp"

namespace byoc::lift {

bool is_qlinear(const ir::Node& n) { return n.is("", "QLinearConv") || n.is("", "QLinearMatMul"); }

// Inputs of both: x, x scale, x zero point, w, w scale, w zero point, y scale, y zero point; QLinearConv: bias.
std::optional<QLinear> read_qlinear(Rewriter& r, const ir::Node& n) {
  if (!is_qlinear(n)) return std::nullopt;
  const bool conv = n.op == "QLinearConv";
  const ir::ValueId x = n.inputs[0], w = n.inputs[3], y = n.outputs[0];
  if (!is_quantised_type(r.type(x).dtype) || !is_quantised_type(r.type(y).dtype) || !r.graph.is_constant(w))
    return std::nullopt;
  const auto xq = read_parameters(r.graph, r.type(x), n.inputs[1], n.inputs[2], 0);
  // Scales of a matrix B are one for each of its columns.
  const auto wq = read_parameters(r.graph, r.type(w), n.inputs[4], n.inputs[5], conv ? 0 : -1);
  const auto yq = read_parameters(r.graph, r.type(y), n.inputs[6], n.inputs[7], 0);
  if (!xq || !wq || !yq || xq->per_axis() || yq->per_axis()) return std::nullopt;
  const ProductParts parts{n, x, *xq, {w, *wq}, ir::kNoValue, y, *yq};
  auto lifted = conv ? make_conv(r, parts) : make_fully_connected(r, parts, false);
  if (!lifted) return std::nullopt;
  // The bias is in the accumulator's steps by definition.
  if (n.input(8) != ir::kNoValue) lifted->inputs.push_back(n.input(8));
  return QLinear{x, y, *xq, *yq, std::move(*lifted)};
}

}  // namespace byoc::lift
