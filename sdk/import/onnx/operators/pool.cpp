#include "sdk/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// `storage_order` orders the Indices output, which is not supported.
Result<void> normalise_max_pool(Emitter& e, ir::Node node) {
  node.attributes.erase("storage_order");
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
