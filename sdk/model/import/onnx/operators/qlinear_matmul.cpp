#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

// Since opset 21 scales may have 16 bits. Products are scaled in float32, which represents the same numbers.
Result<void> normalise_qlinear_matmul(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  for (const std::size_t scale : {std::size_t{1}, std::size_t{4}, std::size_t{6}})
    if (const DType dtype = c.dtype(node.inputs[scale]); dtype == DType::f16 || dtype == DType::bf16)
      node.inputs[scale] = c.cast(node.inputs[scale], DType::f32);
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
