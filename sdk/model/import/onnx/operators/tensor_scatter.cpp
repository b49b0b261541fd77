// TensorScatter (24): `update` goes into a cache along an axis, from an index on that each batch has.
#include "sdk/model/import/onnx/operators/expectation.hpp"

namespace byoc::onnx_import {
namespace {

class TensorScatter {
  using Value = Composition::Value;

 public:
  TensorScatter(Normaliser& e, const ir::Node& node)
      : e_(e), node_(node), c_(e, node), axis_(node.integer("axis", -2)) {}

  Result<void> expand(const std::string& mode) {
    if (mode != "linear" && mode != "circular") return c_.refuse("mode is unknown", mode, "linear or circular");
    const auto rank = c_.rank_of_input(0);
    if (!rank) return failure;
    if (axis_ == 0 || axis_ == -static_cast<std::int64_t>(*rank))
      return c_.refuse("the axis is that of the batches", std::to_string(axis_), "another one");
    const Value length = c_.op("Squeeze", {c_.dim(c_.in(1), axis_), c_.integers({0})});
    Value places = c_.op("Range", {c_.integer(0), length, c_.integer(1)});
    if (c_.has(2)) {
      const Value first = not_negative(e_, node_, c_.in(2), "write_indices");
      places = c_.op("Add", {c_.op("Unsqueeze", {first, c_.integers({1})}), places});
    }
    if (mode == "circular") places = c_.op("Mod", {places, c_.dim(c_.in(0), axis_)});
    const Value indices = c_.op("Expand", {along_axis(places), c_.op("Shape", {c_.in(1)})});
    c_.give(0, "ScatterElements", {c_.in(0), indices, c_.in(1)}, {{"axis", axis_}});
    return {};
  }

 private:
  Value ones(Value count) { return c_.op("Expand", {c_.integers({1}), count}); }

  // [batch or 1, length] becomes [batch or 1, 1 ..., length, 1 ...] of the rank that the cache has.
  Value along_axis(Value places) {
    const Value rank = c_.op("Shape", {c_.op("Shape", {c_.in(0)})});
    const Value from_rank = c_.op("Sub", {rank, c_.integers({axis_ > 0 ? axis_ + 1 : 1 - axis_})});
    const Value before = axis_ > 0 ? c_.integers({axis_ - 1}) : from_rank;
    const Value behind = axis_ > 0 ? from_rank : c_.integers({-axis_ - 1});
    const Value batch = c_.has(2) ? c_.dim(places, 0) : c_.integers({1});
    return c_.op("Reshape", {places, c_.join({batch, ones(before), c_.integers({-1}), ones(behind)})});
  }

  Normaliser& e_;
  const ir::Node& node_;
  Composition c_;
  std::int64_t axis_;
};

}  // namespace

Result<void> normalise_tensor_scatter(Normaliser& e, ir::Node node) {
  return TensorScatter(e, node).expand(node.text("mode", "linear"));
}

}  // namespace byoc::onnx_import
