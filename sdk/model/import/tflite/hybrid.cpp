#include "sdk/model/import/tflite/hybrid.hpp"

#include <string>
#include <utility>
#include <vector>

#include "sdk/model/import/tflite/cast_type.hpp"

namespace byoc::tflite {
namespace {

struct Integers {
  ir::ValueId elements, scales, zeros;  // i8, and one of f32 and i8 for each row
};

Integers quantised_rows(OperatorImport& op, ir::ValueId x, bool symmetric) {
  const ir::Dim rows = op.dims(x)[0];
  const Integers out{op.add_tensor(DType::i8, op.dims(x)), op.add_tensor(DType::f32, {rows}),
                     op.add_tensor(DType::i8, {rows})};
  ir::Node& node = op.byoc_node("DynamicQuantize", {x}, {out.elements, out.scales, out.zeros});
  node.attributes["axis"] = std::int64_t{1};
  node.attributes["symmetric"] = std::int64_t{symmetric};
  return out;
}

// The integers of the weights alone.
ir::ValueId plain(OperatorImport& op, ir::ValueId w) {
  return op.graph().add_constant(op.value(w).name, {DType::i8, op.dims(w), std::nullopt}, op.value(w).constant->bytes);
}

ir::ValueId in_reals(OperatorImport& op, ir::ValueId sums) {
  const ir::ValueId out = op.add_tensor(DType::f32, op.dims(sums));
  op.node("Cast", {sums}, {out}).attributes["to"] = onnx_number(DType::f32);
  return out;
}

ir::ValueId as(OperatorImport& op, ir::ValueId v, std::vector<ir::Dim> dims) {
  if (op.dims(v) == dims) return v;
  const ir::ValueId out = op.add_tensor(v, std::move(dims));
  op.reshape(v, out);
  return out;
}

ir::ValueId times(OperatorImport& op, ir::ValueId a, ir::ValueId b, std::vector<ir::Dim> dims) {
  const ir::ValueId out = op.add_tensor(DType::f32, std::move(dims));
  op.node("Mul", {a, b}, {out});
  return out;
}

// The bias, the activation and the output's shape.
Result<void> finish(OperatorImport& op, ir::ValueId products, schema::ActivationFunctionType activation) {
  ir::ValueId y = products;
  if (op.input(2) != ir::kNoValue) {
    y = op.add_tensor(DType::f32, op.dims(products));
    op.node("Add", {products, op.input(2)}, {y});
  }
  using schema::ActivationFunctionType;
  const auto bounds = activation == ActivationFunctionType::RELU6          ? std::pair(0.0F, 6.0F)
                      : activation == ActivationFunctionType::RELU_N1_TO_1 ? std::pair(-1.0F, 1.0F)
                                                                           : std::pair(0.0F, 0.0F);
  if (activation == ActivationFunctionType::NONE) {
    op.reshape(y, op.output());
    return {};
  }
  const ir::ValueId flat = as(op, y, op.dims(op.output()));
  if (activation == ActivationFunctionType::RELU) {
    op.node("Relu", {flat});
  } else if (bounds.first != bounds.second) {
    op.node("Clip", {flat, op.add_scalar(bounds.first), op.add_scalar(bounds.second)});
  } else {
    return op.refuse("unsupported fused activation", schema::EnumNameActivationFunctionType(activation),
                     "NONE, RELU, RELU6 or RELU_N1_TO_1");
  }
  return {};
}

}  // namespace

bool is_hybrid(const OperatorImport& op) {
  const ir::TensorType& w = op.type(op.input(1));
  return op.type(op.input(0)).dtype == DType::f32 && w.dtype == DType::i8 && w.quantisation;
}

Result<void> import_hybrid_product(OperatorImport& op, bool symmetric, schema::ActivationFunctionType activation) {
  const ir::ValueId w = op.input(1);
  const ir::Dim units = op.dims(w)[0], depth = op.dims(w)[1];
  const ir::Dim rows = static_cast<ir::Dim>(op.type(op.input(0)).elements()) / depth;
  const Integers x = quantised_rows(op, as(op, op.input(0), {rows, depth}), symmetric);
  const ir::ValueId turned = op.add_tensor(DType::i8, {depth, units}), sums = op.add_tensor(DType::i32, {rows, units});
  op.transpose(plain(op, w), turned, {1, 0});
  op.node("MatMulInteger", {x.elements, turned, symmetric ? ir::kNoValue : x.zeros}, {sums});
  const std::vector<float> scales = op.type(w).quantisation->scales;
  const ir::ValueId factors =
      times(op, as(op, x.scales, {rows, 1}), op.add_reals(scales), {rows, static_cast<ir::Dim>(scales.size())});
  return finish(op, times(op, in_reals(op, sums), factors, {rows, units}), activation);
}

Result<void> import_hybrid_convolution(OperatorImport& op, const Convolution& form,
                                       schema::ActivationFunctionType activation) {
  const ir::ValueId w = op.input(1);
  const std::vector<float> scales = op.type(w).quantisation->scales;
  const std::vector<ir::Dim> dims = op.dims(op.output());
  const bool symmetric = form.symmetric && scales.size() == 1;
  if (!symmetric && dims[0] != 1)
    return op.refuse("several images with zero points of their own are not supported",
                     std::to_string(dims[0]) + " images", "1");
  const Integers x = quantised_rows(op, op.input(0), symmetric);
  const ir::ValueId sums = op.add_tensor(DType::i32, dims);
  describe(op.node("ConvInteger", {x.elements, plain(op, w), symmetric ? ir::kNoValue : x.zeros}, {sums}), form);
  const ir::ValueId of_images = as(op, x.scales, {dims[0], 1, 1, 1}), reals = in_reals(op, sums);
  if (symmetric)
    return finish(op, times(op, reals, times(op, of_images, op.add_reals(scales), {dims[0], 1, 1, 1}), dims),
                  activation);
  return finish(op, times(op, times(op, reals, op.add_reals(scales), dims), of_images, dims), activation);
}

void dequantise_weights(ir::Graph& graph, std::vector<ir::ValueId>& inputs, ir::ValueId output, std::int64_t position,
                        const std::string& where, Diagnostics& diags) {
  bool warned = graph.values[output].type.dtype != DType::f32;
  if (warned) return;
  for (ir::ValueId& v : inputs) {
    if (!graph.is_constant(v) || graph.values[v].type.dtype != DType::i8 || !graph.values[v].type.quantisation)
      continue;
    if (!warned)
      diags.warning(graph.file, where, "int8 weights of float activations are dequantised", {},
                    "sums of integers, as upstream's kernel has them");
    warned = true;
    ir::Value real;
    real.name = graph.values[v].name;
    real.type = {DType::f32, graph.values[v].type.dims, std::nullopt};
    ir::Node node;
    node.domain = "byoc";
    node.op = "Dequantize";
    node.name = real.name;
    node.position = position;
    node.inputs = {v};
    v = graph.add_value(std::move(real));
    node.outputs = {v};
    graph.add_node(std::move(node));
  }
}

}  // namespace byoc::tflite
