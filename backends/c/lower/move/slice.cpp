// Slice; with constant bounds a copy through strides, which are negative where it walks backwards.
#include <algorithm>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/by_parameters.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

constexpr std::int64_t kLargestStep = 1 << 20;  // where it is not known how many there are

// Bounds count from the end where they are negative, and are then clamped into the dim.
Extent start_of(std::int64_t start, std::int64_t step, std::int64_t dim) {
  if (dim >= 0) {
    const std::int64_t last = std::max<std::int64_t>(step > 0 ? dim : dim - 1, 0);
    return std::clamp<std::int64_t>(start < 0 ? start + dim : start, 0, last);
  }
  if (start == 0) return 0;
  const std::int64_t bounded = std::clamp<std::int64_t>(start, -INT32_MAX, INT32_MAX);
  const std::string at = std::to_string(bounded), length = extent(dim).text();
  const std::string last = step > 0 ? length : "(" + length + " - 1)";
  if (start > 0) return Extent::expression("(" + at + " < " + last + " ? " + at + " : " + last + ")");
  return Extent::expression("(" + length + " > " + at.substr(1) + " ? " + length + " - " + at.substr(1) + " : 0)");
}

std::optional<Movement> read_slice(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  const std::optional<Dims> starts = constant_integers(region, node, 1);
  if (!starts) {
    why = "found starts that are neither i64 nor i32";
    return std::nullopt;
  }
  Dims axes, steps(starts->size(), 1);
  for (std::size_t i = 0; i < starts->size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  for (const std::size_t position : {3u, 4u}) {
    const Value* given = given_input(region, node, position);
    if (!given) continue;
    const std::optional<Dims> list = constant_integers(region, node, position);
    if (!list || list->size() != starts->size()) {
      why = "found axes or steps that are not as many constants as there are starts";
      return std::nullopt;
    }
    (position == 3 ? axes : steps) = *list;
  }

  const Extents strides = dense_strides(extents(x));
  Copy copy{.dims = extents(y),
            .from_strides = strides,
            .to_strides = dense_strides(extents(y)),
            .from_offset = 0,
            .to_offset = 0};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank || steps[i] == 0) {
      why = "found axis " + std::to_string(axes[i]) + " with step " + std::to_string(steps[i]) + " of " + shape_text(x);
      return std::nullopt;
    }
    const auto d = static_cast<std::size_t>(axis);
    if ((steps[i] > kLargestStep || steps[i] < -kLargestStep) && y.dims[d] < 0) {
      why = "found step " + std::to_string(steps[i]) + " along a dim that only a run knows";
      return std::nullopt;
    }
    copy.from_offset += start_of((*starts)[i], steps[i], x.dims[d]) * strides[d];
    // A step over a single element may be as large as it likes.
    copy.from_strides[d] = y.dims[d] > 1 || y.dims[d] < 0 ? strides[d] * steps[i] : strides[d];
  }
  Movement out;
  out.pieces.push_back({0, 0, std::move(copy)});
  return out;
}

}  // namespace

codegen::Verdict accepts_slice(const Region& region, const Node& node, const TargetSpec&) {
  if (has_computed_parameters(region, node)) {
    if (!region.symbols.empty())
      return refuse(codegen::Reason::not_constant, "found computed bounds, expected constants");
    return accepts_by_parameters(region, node);
  }
  return accepts_movement(region, node, read_slice);
}

bool lower_slice(Emitter& emitter, const Node& node) {
  if (has_computed_parameters(emitter.region, node)) return lower_slice_by_parameters(emitter, node);
  return lower_movement(emitter, node, read_slice);
}

}  // namespace byoc::c
