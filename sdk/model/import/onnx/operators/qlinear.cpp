// com.microsoft's QLinear operators and QGemm, by their definition:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <cmath>

#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {
namespace {

// Version of the emitted operators: the newest that all accepted forms share.
constexpr std::int64_t kQlinearVersion = 13;

using Attributes = std::map<std::string, ir::Attribute, std::less<>>;

ir::ValueId dequantise(Normaliser& e, const ir::Node& like, ir::ValueId x, ir::ValueId scale, ir::ValueId zero,
                       std::int64_t axis = 0) {
  std::vector<ir::ValueId> inputs = {x, scale};
  if (zero != ir::kNoValue) inputs.push_back(zero);
  return e.apply(like, "DequantizeLinear", kQlinearVersion, std::move(inputs), {{"axis", axis}});
}

// Emits the QuantizeLinear that gives `node`'s output.
Result<void> quantise(Normaliser& e, const ir::Node& node, ir::ValueId real, ir::ValueId scale, ir::ValueId zero) {
  if (zero == ir::kNoValue) return e.refuse(node, "needs the zero point of its output, which says its type");
  ir::Node last;
  last.op = "QuantizeLinear";
  last.version = kQlinearVersion;
  last.name = node.name;
  last.position = node.position;
  last.inputs = {real, scale, zero};
  last.outputs = node.outputs;
  e.emit(std::move(last));
  return {};
}

// Attributes that the operator in the middle has too.
Attributes kept(const ir::Node& node) {
  Attributes out = node.attributes;
  out.erase("channels_last");
  out.erase("opset");
  if (node.integer("channels_last", 0) != 0) out["data_layout"] = std::string("NHWC");
  return out;
}

// ONNX Runtime's softmax has a whole number of steps to 1.
ir::ValueId whole_steps(Normaliser& e, const ir::Node& node, ir::ValueId scale) {
  if (const auto known = e.constant_reals(scale); known && known->size() == 1 && (*known)[0] > 0 && (*known)[0] <= 1)
    return e.scalar(1 / std::floor(1 / (*known)[0]));
  const ir::ValueId steps =
      e.apply(node, "Floor", kQlinearVersion, {e.apply(node, "Reciprocal", kQlinearVersion, {scale})});
  return e.apply(node, "Reciprocal", kQlinearVersion, {steps});
}

// alpha * a scale * b scale of QGemm.
ir::ValueId steps_of_bias(Normaliser& e, const ir::Node& node) {
  const auto a_scale = e.constant_reals(node.inputs[1]);
  auto steps = e.constant_reals(node.inputs[4]);
  if (!a_scale || a_scale->size() != 1 || !steps || steps->empty()) {
    const ir::ValueId product = e.apply(node, "Mul", kQlinearVersion, {node.inputs[1], node.inputs[4]});
    return e.apply(node, "Mul", kQlinearVersion, {product, e.scalar(node.real("alpha", 1))});
  }
  for (float& s : *steps) s *= (*a_scale)[0] * node.real("alpha", 1);
  return steps->size() == 1 ? e.scalar((*steps)[0]) : e.reals(*steps);
}

}  // namespace

// a, a scale, a zero, b, b scale, b zero, y scale, y zero.
Result<void> normalise_qlinear_binary(Normaliser& e, ir::Node node) {
  const ir::ValueId a = dequantise(e, node, node.inputs[0], node.inputs[1], node.inputs[2]);
  const ir::ValueId b = dequantise(e, node, node.inputs[3], node.inputs[4], node.inputs[5]);
  const ir::ValueId y = e.apply(node, node.op.substr(7), kQlinearVersion, {a, b});
  return quantise(e, node, y, node.inputs[6], node.input(7));
}

// x, x scale, x zero, y scale, y zero.
Result<void> normalise_qlinear_unary(Normaliser& e, ir::Node node) {
  const ir::ValueId x = dequantise(e, node, node.inputs[0], node.inputs[1], node.inputs[2]);
  const std::string op = node.op.substr(7);
  ir::ValueId y = ir::kNoValue, scale = node.inputs[3];
  if (op == "Softmax") {
    scale = whole_steps(e, node, scale);
    ir::Node softmax;
    softmax.op = op;
    softmax.version = node.integer("opset", kQlinearVersion);
    softmax.name = node.name;
    softmax.position = node.position;
    softmax.inputs = {x};
    softmax.outputs = {y = e.temporary()};
    softmax.attributes = kept(node);
    if (!normalise_softmax(e, std::move(softmax))) return failure;
  } else {
    y = e.apply(node, op, kQlinearVersion, {x}, kept(node));
  }
  return quantise(e, node, y, scale, node.input(4));
}

// condition, x, x scale, x zero, y, y scale, y zero, z scale, z zero.
Result<void> normalise_qlinear_where(Normaliser& e, ir::Node node) {
  const ir::ValueId x = dequantise(e, node, node.inputs[1], node.inputs[2], node.inputs[3]);
  const ir::ValueId y = dequantise(e, node, node.inputs[4], node.inputs[5], node.inputs[6]);
  const ir::ValueId z = e.apply(node, "Where", kQlinearVersion, {node.inputs[0], x, y});
  return quantise(e, node, z, node.inputs[7], node.inputs[8]);
}

// x, x scale, x zero, y scale, y zero.
Result<void> normalise_qlinear_reduce_mean(Normaliser& e, ir::Node node) {
  const ir::ValueId x = dequantise(e, node, node.inputs[0], node.inputs[1], node.inputs[2]);
  std::vector<ir::ValueId> inputs{x};
  if (const auto* axes = node.find<std::vector<std::int64_t>>("axes")) inputs.push_back(e.integers(*axes));
  const ir::ValueId y = e.apply(node, "ReduceMean", 18, std::move(inputs), {{"keepdims", node.integer("keepdims", 1)}});
  return quantise(e, node, y, node.inputs[3], node.input(4));
}

// y scale, y zero, then x, x scale, x zero for each.
Result<void> normalise_qlinear_concat(Normaliser& e, ir::Node node) {
  if (node.inputs.size() % 3 != 2)
    return e.refuse(node, "has the wrong number of inputs", std::to_string(node.inputs.size()),
                    "2, and 3 for each value");
  std::vector<ir::ValueId> parts;
  for (std::size_t i = 2; i < node.inputs.size(); i += 3)
    parts.push_back(dequantise(e, node, node.inputs[i], node.inputs[i + 1], node.inputs[i + 2]));
  const ir::ValueId y = e.apply(node, "Concat", kQlinearVersion, std::move(parts), node.attributes);
  return quantise(e, node, y, node.inputs[0], node.inputs[1]);
}

// a, a scale, a zero, b, b scale, b zero, c, y scale, y zero. b may be quantised by column; c is i32 in steps of
// alpha * a scale * b scale. Without y scale the result is real.
Result<void> normalise_qgemm(Normaliser& e, ir::Node node) {
  const std::int64_t column = node.integer("transB", 0) != 0 ? 0 : 1;
  const ir::ValueId a = dequantise(e, node, node.inputs[0], node.inputs[1], node.inputs[2]);
  const ir::ValueId b = dequantise(e, node, node.inputs[3], node.inputs[4], node.inputs[5], column);
  std::vector<ir::ValueId> inputs = {a, b};
  if (node.input(6) != ir::kNoValue) {
    inputs.push_back(dequantise(e, node, node.inputs[6], steps_of_bias(e, node), ir::kNoValue, -1));
  }
  if (node.input(7) != ir::kNoValue) {
    const ir::ValueId y = e.apply(node, "Gemm", kQlinearVersion, std::move(inputs), node.attributes);
    return quantise(e, node, y, node.inputs[7], node.input(8));
  }
  ir::Node last = node;
  last.domain.clear();
  last.op = "Gemm";
  last.version = kQlinearVersion;
  last.inputs = std::move(inputs);
  e.emit(std::move(last));
  return {};
}

}  // namespace byoc::onnx_import
