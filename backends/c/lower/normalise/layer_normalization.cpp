// LayerNormalization, and RMSNormalization, which leaves the mean in: over all dims from `axis` on.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/view.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;

Normalisation read_layer_normalization(const Region& region, const Node& node) {
  const Extents dims = extents(region.values[node.inputs[0]]);
  const auto rank = static_cast<std::int64_t>(dims.size());
  std::int64_t axis = node.integer("axis", -1);
  if (axis < 0) axis += rank;
  Normalisation n;
  n.dims = dims;
  for (std::int64_t d = 0; d < rank; ++d) n.reduced.push_back(d >= axis);
  n.scale = broadcast_strides(extents(region.values[node.inputs[1]]), dims);
  if (const codegen::Value* bias = given_input(region, node, 2)) n.bias = broadcast_strides(extents(*bias), dims);
  n.epsilon = static_cast<double>(node.real("epsilon", 1e-5f));
  n.about_zero = node.op == "RMSNormalization";
  return n;
}

}  // namespace

codegen::Verdict accepts_layer_normalization(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_normalisation(region, node, read_layer_normalization(region, node));
}

bool lower_layer_normalization(Emitter& emitter, const Node& node) {
  return lower_normalisation(emitter, node, read_layer_normalization(emitter.region, node));
}

}  // namespace byoc::c
