// LayerNormalization, and RMSNormalization, which leaves the mean in: over all dims from `axis` on.
#include <algorithm>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/view.hpp"
#include "byoc/nodes/trailing.hpp"

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

// Rows whose every element has a scale and a bias of its own.
bool has_rows(const Emitter& emitter, const Node& node, const Normalisation& n) {
  constexpr std::int64_t kMostInPlainSums = 1024;
  if (emitter.input(node, 0)->dtype != DType::f32 || node.outputs.size() > 1) return false;
  std::int64_t length = 1;
  for (std::size_t d = 0; d < n.dims.size(); ++d) {
    if (!n.dims[d].is_known()) return false;
    if (n.reduced[d]) length *= n.dims[d].known();
  }
  const codegen::Value &x = *emitter.input(node, 0), *bias = emitter.input(node, 2);
  const auto axis = static_cast<std::size_t>(std::find(n.reduced.begin(), n.reduced.end(), true) - n.reduced.begin());
  return length > 0 && length <= kMostInPlainSums && nodes::has_trailing_dims(*emitter.input(node, 1), x, axis) &&
         (bias == nullptr || nodes::has_trailing_dims(*bias, x, axis));
}

bool lower_rows(Emitter& emitter, const Node& node, const Normalisation& n) {
  std::int64_t rows = 1, length = 1;
  for (std::size_t d = 0; d < n.dims.size(); ++d) (n.reduced[d] ? length : rows) *= n.dims[d].known();
  const bool vectors = emitter.target.has("mve.fp") && emitter.objective != Objective::size;
  const std::string suffix = vectors ? "_mve" : "";
  Kernel kernel{"normalise_rows_f32" + suffix + ".c",
                (n.about_zero ? "byoc_rms_rows_f32" : "byoc_normalise_rows_f32") + suffix,
                {}};
  if (n.about_zero) kernel.defines["BYOC_ABOUT_ZERO"] = "1";
  TypedStep s(emitter, node);
  s.call(kernel, "byoc_normalise.h", "BYOC_NORMALISE_ROWS", {},
         {std::to_string(rows), std::to_string(length), c_literal(DType::f32, n.epsilon), s.in(0), s.in(1), s.in(2),
          s.out(0)});
  return s.emit();
}

}  // namespace

codegen::Verdict accepts_layer_normalization(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_normalisation(region, node, read_layer_normalization(region, node));
}

bool lower_layer_normalization(Emitter& emitter, const Node& node) {
  const Normalisation n = read_layer_normalization(emitter.region, node);
  return has_rows(emitter, node, n) ? lower_rows(emitter, node, n) : lower_normalisation(emitter, node, n);
}

}  // namespace byoc::c
