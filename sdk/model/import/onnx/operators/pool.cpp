#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// `storage_order` orders the Indices output and means nothing without it.
Result<void> normalise_max_pool(Normaliser& e, ir::Node node) {
  if (node.outputs.size() < 2 || node.outputs[1] == ir::kNoValue) {
    node.outputs.resize(1);
    node.attributes.erase("storage_order");
  }
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
