#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {
namespace {

constexpr std::int64_t kBroadcastVersion = 13;

// `b` with ones behind its dims, so that they begin at `axis` of `a`: [b's dims, 1 ...] of rank(a) - axis dims. The
// ranks need not be known yet; the shape folds once they are.
ir::ValueId align(Normaliser& e, const ir::Node& node, ir::ValueId a, ir::ValueId b, std::int64_t axis) {
  const ir::ValueId a_shape = e.apply(node, "Shape", kBroadcastVersion, {a});
  const ir::ValueId b_shape = e.apply(node, "Shape", kBroadcastVersion, {b});
  const ir::ValueId a_rank = e.apply(node, "Shape", kBroadcastVersion, {a_shape});  // [1]
  const ir::ValueId b_rank = e.apply(node, "Shape", kBroadcastVersion, {b_shape});
  const ir::ValueId covered = e.apply(node, "Sub", kBroadcastVersion, {a_rank, e.integers({axis})});
  const ir::ValueId behind = e.apply(node, "Sub", kBroadcastVersion, {covered, b_rank});
  const ir::ValueId ones = e.apply(node, "Expand", kBroadcastVersion, {e.integers({1}), behind});
  const ir::ValueId shape = e.apply(node, "Concat", kBroadcastVersion, {b_shape, ones}, {{"axis", std::int64_t{0}}});
  return e.apply(node, "Reshape", kBroadcastVersion, {b, shape});
}

}  // namespace

// Before opset 7 the second operand was broadcast to the first only if `broadcast` said so. Its dims matched the last
// dims of the first operand or, with `axis`, the dims from that axis on.
Result<void> normalise_broadcast(Normaliser& e, ir::Node node) {
  const bool aligned = node.integer("broadcast", 0) != 0 && node.attributes.contains("axis");
  const std::int64_t axis = node.integer("axis", 0);
  node.attributes.erase("broadcast");
  node.attributes.erase("axis");
  node.version = 7;
  if (aligned) {
    if (axis < 0)
      return e.refuse(node, "the axis of an old broadcast counts from the front", std::to_string(axis), "0 or more");
    node.inputs[1] = align(e, node, node.inputs[0], node.inputs[1], axis);
  }
  e.emit(std::move(node));
  return {};
}

// Before opset 7 a slope of more than one element had one element for each channel.
Result<void> normalise_prelu(Normaliser& e, ir::Node node) {
  node.version = 7;
  node.inputs[1] = align(e, node, node.inputs[0], node.inputs[1], 1);
  e.emit(std::move(node));
  return {};
}

// The third operand is broadcast in the same way in every opset; before opset 7 an attribute had to ask for it.
Result<void> normalise_gemm(Normaliser& e, ir::Node node) {
  node.attributes.erase("broadcast");
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
