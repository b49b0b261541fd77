// MeanVarianceNormalization: over `axes`, without parameters.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;

Normalisation read_mean_variance_normalization(const Region& region, const Node& node) {
  Normalisation n;
  n.dims = extents(region.values[node.inputs[0]]);
  n.reduced.resize(n.dims.size());
  for (std::int64_t axis : node.integers("axes", {0, 2, 3}))
    n.reduced[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(n.dims.size()) : axis)] = true;
  n.epsilon = 1e-9;
  n.epsilon_outside = true;
  return n;
}

}  // namespace

codegen::Verdict accepts_mean_variance_normalization(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_normalisation(region, node, read_mean_variance_normalization(region, node));
}

bool lower_mean_variance_normalization(Emitter& emitter, const Node& node) {
  return lower_normalisation(emitter, node, read_mean_variance_normalization(emitter.region, node));
}

}  // namespace byoc::c
