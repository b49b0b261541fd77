#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

Result<void> normalise_axes(Normaliser& e, ir::Node node) {
  if (const auto* axes = node.find<std::vector<std::int64_t>>("axes")) {
    node.inputs.push_back(e.integers(*axes));
    node.attributes.erase("axes");
  }
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
