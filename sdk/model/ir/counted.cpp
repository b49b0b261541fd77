#include "sdk/model/ir/counted.hpp"

namespace byoc::ir {
namespace {

// The node's axis, counted from the front; nullopt if it is out of range.
std::optional<std::size_t> axis_of(const Node& node, std::int64_t otherwise, std::size_t rank) {
  const auto r = static_cast<std::int64_t>(rank);
  const std::int64_t axis = node.integer("axis", otherwise);
  if (axis < -r || axis >= r) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + r : axis);
}

}  // namespace

CountedResults counted_results(const Node& node, std::size_t rank) {
  if (!node.domain.empty() && node.domain != "byoc") return {};
  if (node.op == "NonZero") return {{{0, node.integer("rows", 0) != 0 ? std::size_t{0} : std::size_t{1}}}, 1};
  if (node.op == "NonMaxSuppression") return {{{0, 0}}, 1};
  const bool flat = node.find<std::int64_t>("axis") == nullptr;  // the elements in their order
  if (node.op == "Compress" || node.op == "Unique") {
    const auto axis = flat ? std::optional<std::size_t>(0) : axis_of(node, 0, rank);
    if (!axis) return {};
    return node.op == "Compress" ? CountedResults{{{0, *axis}}, 1} : CountedResults{{{0, *axis}, {1, 0}, {3, 0}}, 4};
  }
  if (node.op == "TopK")
    if (const auto axis = axis_of(node, -1, rank)) return {{{0, *axis}, {1, *axis}}, 2};
  return {};
}

}  // namespace byoc::ir
