#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// Since opset 20 `axis` is an input, with another default.
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
