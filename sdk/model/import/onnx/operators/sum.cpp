#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// Sum of one value is that value; of more, Add from left to right.
Result<void> normalise_sum(Normaliser& e, ir::Node node) {
  ir::Node last = node;
  if (node.inputs.size() == 1) {
    last.op = "Identity";
    e.emit(std::move(last));
    return {};
  }
  ir::ValueId sum = node.inputs[0];
  for (std::size_t i = 1; i + 1 < node.inputs.size(); ++i)
    sum = e.apply(node, "Add", node.version, {sum, node.inputs[i]});
  last.op = "Add";
  last.inputs = {sum, node.inputs.back()};
  e.emit(std::move(last));
  return {};
}

}  // namespace byoc::onnx_import
