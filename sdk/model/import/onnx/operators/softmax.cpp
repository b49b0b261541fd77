#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// Before opset 13 Softmax, LogSoftmax and Hardmax view their input as a matrix, [product of dims before axis, product
// of the rest], and work along rows. That is Flatten, the operator over the last axis, and a Reshape back to the shape
// the input had.
Result<void> normalise_softmax(Normaliser& e, ir::Node node) {
  if (node.version >= 13) {
    e.emit(std::move(node));
    return {};
  }
  constexpr std::int64_t kVersion = 13;
  const std::int64_t axis = node.integer("axis", 1);
  const ir::ValueId x = node.inputs[0];
  const ir::ValueId matrix = e.apply(node, "Flatten", kVersion, {x}, {{"axis", axis}});
  const ir::ValueId rows = e.apply(node, node.op, kVersion, {matrix}, {{"axis", std::int64_t{-1}}});
  const ir::ValueId shape = e.apply(node, "Shape", kVersion, {x});
  ir::Node back = std::move(node);
  back.op = "Reshape";
  back.version = kVersion;
  back.inputs = {rows, shape};
  back.attributes.clear();
  e.emit(std::move(back));
  return {};
}

}  // namespace byoc::onnx_import
