#include "sdk/model/import/onnx/composition.hpp"
#include "sdk/model/import/onnx/tensor.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {
namespace {

void drop_zero_block(ir::Node& node) {
  if (node.integer("block_size", 0) == 0) node.attributes.erase("block_size");
}

// True for the element types of quantised tensors.
bool is_quantised_type(DType t) {
  const ElementRow& row = element_row(t);
  if (row.kind == ElementKind::real) return is_small(t) && t != DType::f8e8m0;
  return row.bits != 0 && row.kind != ElementKind::truth && row.bits <= 16;
}

// The zero point that `output_dtype` stands for: 0 in that type.
void add_zero_point(Normaliser& e, ir::Node& node, std::int64_t number) {
  const ir::ValueId scale = node.inputs[1];
  node.inputs.resize(2);
  if (e.graph.is_constant(scale)) {
    ir::TensorType type{ir::onnx_type(number), e.graph.values[scale].type.dims, {}};
    Blob zeros = Blob::own(std::vector<std::byte>(type.bytes()));
    node.inputs.push_back(e.graph.add_constant({}, std::move(type), std::move(zeros)));
  } else {
    Composition c(e, node);
    const ir::ValueId zeros = c.op("ConstantOfShape", {c.op("Shape", {scale})});
    node.inputs.push_back(c.op("Cast", {zeros}, {{"to", number}}));
  }
}

}  // namespace

// `output_dtype` (opset 21) stands for a zero point of that type and value 0. `precision` (opset 23) is what the
// division is computed in: it stays where that is less than float32. A scale of type f8e8m0 is a power of two, which
// f32 has.
Result<void> normalise_quantize_linear(Normaliser& e, ir::Node node) {
  const std::int64_t precision = node.integer("precision", 0);
  const DType division = ir::onnx_type(precision);
  if (precision != 0 && division != DType::f32 && division != DType::f16 && division != DType::bf16)
    return e.refuse(node, "precision is not supported", dtype_name(precision), "float32, float16 or bfloat16");
  const std::int64_t number = node.integer("output_dtype", 0);
  if (number != 0 && !is_quantised_type(ir::onnx_type(number)))
    return e.refuse(node, "output_dtype is not supported", dtype_name(number),
                    "an integer of at most 16 bits or a float of at most 8");
  if (number != 0 && node.input(2) == ir::kNoValue) add_zero_point(e, node, number);
  if (Composition c(e, node); c.dtype(node.inputs[1]) == DType::f8e8m0)
    node.inputs[1] = c.cast(node.inputs[1], DType::f32);
  if (division == DType::f32 || division == DType::undefined) node.attributes.erase("precision");
  if (node.integer("saturate", 1) != 0) node.attributes.erase("saturate");
  node.attributes.erase("output_dtype");
  drop_zero_block(node);
  e.emit(std::move(node));
  return {};
}

// `output_dtype` (opset 23) is the type of the result and of the multiplication, which otherwise is the scale's.
Result<void> normalise_dequantize_linear(Normaliser& e, ir::Node node) {
  drop_zero_block(node);
  const std::int64_t type = node.integer("output_dtype", 0);
  node.attributes.erase("output_dtype");
  Composition c(e, node);
  const DType scale = c.dtype(node.inputs[1]);
  if (type == 0 && scale == DType::f8e8m0)
    return e.refuse(node, "a scale of this type needs an output_dtype", std::string(to_string(scale)),
                    "float32, float16 or bfloat16");
  if (type != 0 && ir::onnx_type(type) != scale) node.inputs[1] = c.op("Cast", {node.inputs[1]}, {{"to", type}});
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
