// InstanceNormalization and GroupNormalization: each image's channels, or groups of them, by themselves.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;

Normalisation read_instance_normalization(const Region& region, const Node& node) {
  const std::vector<std::int64_t>& dims = region.values[node.inputs[0]].dims;
  Extent inner = 1;
  for (std::size_t d = 2; d < dims.size(); ++d) inner *= extent(dims[d]);
  const bool grouped = node.op == "GroupNormalization";
  const std::int64_t groups = grouped ? node.integer("num_groups", 1) : dims[1];
  const std::int64_t channels = groups == 0 ? 0 : dims[1] / groups;
  Normalisation n;
  n.dims = {extent(dims[0]), groups, channels, inner};
  n.reduced = {false, false, true, true};
  // Opset 18 has a scale and a bias for each group, opset 21 for each channel.
  n.scale = grouped && node.version < 21 ? std::vector<std::int64_t>{0, 1, 0, 0}
                                         : std::vector<std::int64_t>{0, channels, 1, 0};
  n.bias = n.scale;
  n.epsilon = static_cast<double>(node.real("epsilon", 1e-5f));
  return n;
}

}  // namespace

codegen::Verdict accepts_instance_normalization(const Region& region, const Node& node, const TargetSpec&) {
  if (region.values[node.inputs[0]].dims[1] < 0)
    return refuse(codegen::Reason::unsupported_shape, "found channels that only a run knows the number of");
  return accepts_normalisation(region, node, read_instance_normalization(region, node));
}

bool lower_instance_normalization(Emitter& emitter, const Node& node) {
  return lower_normalisation(emitter, node, read_instance_normalization(emitter.region, node));
}

}  // namespace byoc::c
