#include "sdk/import/onnx/operators.hpp"
#include "sdk/import/onnx/tensor.hpp"

namespace byoc::onnx_import {
namespace {

Result<void> refuse_blocks(Emitter& e, const ir::Node& node) {
  if (const auto size = node.integer("block_size", 0); size != 0)
    return e.refuse(node, "blocked quantisation is not supported", "block_size " + std::to_string(size), "0");
  return {};
}

}  // namespace

// `saturate` is about 8-bit floats, which are not supported. `output_dtype` (opset 21) stands for a zero point of
// that type and value 0.
Result<void> normalise_quantize_linear(Emitter& e, ir::Node node) {
  if (!refuse_blocks(e, node)) return failure;
  const std::int64_t number = node.integer("output_dtype", 0);
  if (number != 0) {
    const DType dtype = dtype_of(number);
    if (dtype == DType::undefined)
      return e.refuse(node, "output_dtype is not supported", dtype_name(number), "an integer type");
    if (node.input(2) == ir::kNoValue) {
      if (!e.graph.is_constant(node.inputs[1])) return e.refuse(node, "output_dtype needs a constant scale");
      ir::TensorType type{dtype, e.graph.values[node.inputs[1]].type.dims, {}};
      Blob zeros = Blob::own(std::vector<std::byte>(type.bytes()));
      node.inputs.resize(2);
      node.inputs.push_back(e.graph.add_constant({}, std::move(type), std::move(zeros)));
    }
  }
  for (const char* key : {"saturate", "block_size", "output_dtype"}) node.attributes.erase(key);
  e.emit(std::move(node));
  return {};
}

Result<void> normalise_dequantize_linear(Emitter& e, ir::Node node) {
  if (!refuse_blocks(e, node)) return failure;
  node.attributes.erase("block_size");
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
