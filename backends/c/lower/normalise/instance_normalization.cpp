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

// Planes in the vectors of MVE, of no more elements than a plain sum is good for.
bool planes_in_vectors(const Emitter& emitter, const Node& node, const Normalisation& n) {
  constexpr std::int64_t kMostInPlainSums = 1024;
  const Extent& length = n.dims[3];
  return emitter.target.has("mve.fp") && emitter.objective != Objective::size && node.op == "InstanceNormalization" &&
         emitter.input(node, 0)->dtype == DType::f32 && emitter.input(node, 1)->dtype == DType::f32 &&
         n.dims[0].is_known() && length.is_known() && length.known() > 0 && length.known() <= kMostInPlainSums;
}

bool lower_planes(Emitter& emitter, const Node& node, const Normalisation& n) {
  TypedStep s(emitter, node);
  const std::int64_t channels = n.dims[1].known();
  s.call({"normalise_rows_f32_mve.c", "byoc_normalise_planes_f32_mve", {{"BYOC_PLANES", "1"}}}, "byoc_normalise.h",
         "BYOC_NORMALISE_PLANES", {},
         {std::to_string(n.dims[0].known() * channels), std::to_string(channels), std::to_string(n.dims[3].known()),
          c_literal(DType::f32, n.epsilon), s.in(0), s.in(1), s.in(2), s.out(0)});
  return s.emit();
}

}  // namespace

codegen::Verdict accepts_instance_normalization(const Region& region, const Node& node, const TargetSpec&) {
  if (region.values[node.inputs[0]].dims[1] < 0)
    return refuse(codegen::Reason::unsupported_shape, "found channels that only a run knows the number of");
  return accepts_normalisation(region, node, read_instance_normalization(region, node));
}

bool lower_instance_normalization(Emitter& emitter, const Node& node) {
  const Normalisation n = read_instance_normalization(emitter.region, node);
  return planes_in_vectors(emitter, node, n) ? lower_planes(emitter, node, n) : lower_normalisation(emitter, node, n);
}

}  // namespace byoc::c
