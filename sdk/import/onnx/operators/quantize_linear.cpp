#include "sdk/import/onnx/composition.hpp"
#include "sdk/import/onnx/tensor.hpp"

namespace byoc::onnx_import {
namespace {

// 4-bit constants are weights, or become real numbers when constants are folded: nothing computes with 4 bits here.
Result<void> expect_constant(Normaliser& e, const ir::Node& node, ir::ValueId v) {
  if (v == ir::kNoValue) return {};
  const DType dtype = e.graph.values[v].type.dtype;
  if ((dtype != DType::i4 && dtype != DType::u4) || e.graph.is_constant(v)) return {};
  return e.refuse(node, "4-bit values that are computed are not supported", e.graph.values[v].name, "a constant");
}

void drop_zero_block(ir::Node& node) {
  if (node.integer("block_size", 0) == 0) node.attributes.erase("block_size");
}

}  // namespace

// `saturate` is about 8-bit floats, which are not supported. `output_dtype` (opset 21) stands for a zero point of
// that type and value 0. `precision` (opset 23) is what the division is computed in, which otherwise is the scale's
// type.
Result<void> normalise_quantize_linear(Normaliser& e, ir::Node node) {
  if (const std::int64_t precision = node.integer("precision", 0);
      precision != 0 && dtype_of(precision) != e.graph.values[node.inputs[1]].type.dtype)
    return e.refuse(node, "precision is not supported", dtype_name(precision), "the type of the scale");
  const std::int64_t number = node.integer("output_dtype", 0);
  if (number != 0) {
    const DType dtype = dtype_of(number);
    if (dtype == DType::undefined || bit_width(dtype) < 8)
      return e.refuse(node, "output_dtype is not supported", dtype_name(number), "an integer type of 8 or 16 bits");
    if (node.input(2) == ir::kNoValue && e.graph.is_constant(node.inputs[1])) {
      ir::TensorType type{dtype, e.graph.values[node.inputs[1]].type.dims, {}};
      Blob zeros = Blob::own(std::vector<std::byte>(type.bytes()));
      node.inputs.resize(2);
      node.inputs.push_back(e.graph.add_constant({}, std::move(type), std::move(zeros)));
    } else if (node.input(2) == ir::kNoValue) {
      Composition c(e, node);
      const ir::ValueId zeros = c.op("ConstantOfShape", {c.op("Shape", {node.inputs[1]})});
      node.inputs = {node.inputs[0], node.inputs[1], c.op("Cast", {zeros}, {{"to", number}})};
    }
  }
  if (node.input(2) != ir::kNoValue)
    if (const DType zero = e.graph.values[node.inputs[2]].type.dtype; zero == DType::i4 || zero == DType::u4)
      return e.refuse(node, "quantising to 4 bits is not supported", std::string(to_string(zero)),
                      "an integer type of 8 or 16 bits");
  for (const char* key : {"saturate", "output_dtype", "precision"}) node.attributes.erase(key);
  drop_zero_block(node);
  e.emit(std::move(node));
  return {};
}

// `output_dtype` (opset 23) is the type of the result, which otherwise is the scale's.
Result<void> normalise_dequantize_linear(Normaliser& e, ir::Node node) {
  drop_zero_block(node);
  if (!expect_constant(e, node, node.inputs[0]) || !expect_constant(e, node, node.input(2))) return failure;
  const std::int64_t type = node.integer("output_dtype", 0);
  node.attributes.erase("output_dtype");
  if (type != 0 && dtype_of(type) != e.graph.values[node.inputs[1]].type.dtype) {
    const ir::ValueId y = e.apply(node, node.op, node.version, node.inputs, node.attributes);
    node.op = "Cast";
    node.inputs = {y};
    node.attributes = {{"to", type}};
  }
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
