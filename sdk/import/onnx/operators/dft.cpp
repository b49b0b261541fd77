#include "sdk/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// From opset 20 on `axis` is an input, and its default is another one.
Result<void> normalise_dft(Normaliser& e, ir::Node node) {
  node.inputs.resize(3, ir::kNoValue);
  node.inputs[2] = e.integers({node.integer("axis", 1)});
  e.graph.values[node.inputs[2]].type.dims.emplace();
  node.attributes.erase("axis");
  node.version = 20;
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
