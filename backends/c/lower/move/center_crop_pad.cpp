// CenterCropPad: the middle of the input into the middle of the output.
#include <algorithm>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

std::optional<Movement> read_center_crop_pad(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (x.dims.size() != y.dims.size()) {
    why = "found a result " + shape_text(y) + ", expected the rank of " + shape_text(x);
    return std::nullopt;
  }
  Movement out;
  Copy copy;
  copy.from_strides = dense_strides(x.dims);
  copy.to_strides = dense_strides(y.dims);
  for (std::size_t d = 0; d < x.dims.size(); ++d) {
    copy.dims.push_back(std::min(x.dims[d], y.dims[d]));
    copy.from_offset += std::max<std::int64_t>(x.dims[d] - y.dims[d], 0) / 2 * copy.from_strides[d];
    copy.to_offset += std::max<std::int64_t>(y.dims[d] - x.dims[d], 0) / 2 * copy.to_strides[d];
    if (y.dims[d] > x.dims[d]) out.fill = Movement::Fill{zero_bits(y), {}};
  }
  out.pieces.push_back({0, 0, std::move(copy)});
  return out;
}

}  // namespace

codegen::Verdict accepts_center_crop_pad(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_movement(region, node, read_center_crop_pad);
}
bool lower_center_crop_pad(Emitter& emitter, const Node& node) {
  return lower_movement(emitter, node, read_center_crop_pad);
}

}  // namespace byoc::c
