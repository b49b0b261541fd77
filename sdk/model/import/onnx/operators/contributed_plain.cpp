// ONNX Runtime's own operators that are one or a few of ONNX's:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <cctype>

#include "sdk/model/import/onnx/composition.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;
using Values = Composition::Values;

// Weights of 8 bits as real numbers [directions, 4 * hidden, n]. They are stated the other way round, with a scale and
// a zero point for each direction, or for each column of each.
Value lstm_weights(Composition& c, Value codes, Value scale, Value zero) {
  const Value shape = c.integers({c.rank(scale) == 2 ? 0 : -1, 1, c.rank(scale) == 2 ? -1 : 1});
  const auto real = [&](Value v) { return c.cast(v, DType::f32); };
  Value w = real(codes);
  if (zero != ir::kNoValue) w = c.op("Sub", {w, c.op("Reshape", {real(zero), shape})});
  w = c.op("Mul", {w, c.op("Reshape", {scale, shape})});
  return c.op("Transpose", {w}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
}

}  // namespace

Result<void> normalise_as_onnx(Normaliser& e, ir::Node node) {
  const ir::Operator* plain = ir::find_operator("", node.op);
  node.domain.clear();
  node.version = plain->since;
  e.emit(std::move(node));
  return {};
}

// start, limit and, where it is not 1, delta.
Result<void> normalise_contributed_range(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const Value delta = c.has(2) ? c.in(2) : c.op("CastLike", {c.integer(1), c.in(0)});
  c.give(0, "Range", {c.in(0), c.in(1), delta});
  return {};
}

// The axis is a number.
Result<void> normalise_expand_dims(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const Value axis = c.cast(c.in(1), DType::i64);
  c.give(0, "Unsqueeze", {c.in(0), c.op("Reshape", {axis, c.integers({1})})});
  return {};
}

// The operator of domain byoc that has this name.
Result<void> normalise_as_byoc(Normaliser& e, ir::Node node) {
  node.domain = "byoc";
  node.version = 1;
  e.emit(std::move(node));
  return {};
}

// Distances of the rows of a [m, k] from those of b [n, k].
Result<void> normalise_cdist(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const std::string metric = node.text("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean")
    return c.refuse("metric is unknown", metric, "euclidean or sqeuclidean");
  const Value apart =
      c.op("Sub", {c.op("Unsqueeze", {c.in(0), c.integers({1})}), c.op("Unsqueeze", {c.in(1), c.integers({0})})});
  const Values squares{c.op("Mul", {apart, apart}), c.integers({-1})};
  const Composition::Attributes flat{{"keepdims", std::int64_t{0}}};
  if (metric == "sqeuclidean")
    c.give(0, "ReduceSum", squares, flat);
  else
    c.give(0, "Sqrt", {c.op("ReduceSum", squares, flat)});
  return {};
}

// Softmax of all dims from `axis` on over data plus a bias. Whether its dims of 1 lie before the axis or further out
// (is_inner_broadcast) is for kernels to know.
Result<void> normalise_bias_softmax(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  ir::Node softmax;
  softmax.op = "Softmax";
  softmax.version = 11;  // over all dims from the axis on
  softmax.name = node.name;
  softmax.position = node.position;
  softmax.inputs = {c.op("Add", {c.in(0), c.in(1)})};
  softmax.outputs = node.outputs;
  softmax.attributes = {{"axis", node.integer("axis", 1)}};
  return normalise_softmax(e, std::move(softmax));
}

// The inputs of LSTM, then scale and zero point of W and of R. Activations are not quantised here, where ONNX Runtime
// rounds them to 8 bits with a scale of each run: results differ by that rounding.
Result<void> normalise_dynamic_quantize_lstm(Normaliser& e, ir::Node node) {
  enum : std::size_t { kX, kW, kR, kWScale = 8, kWZero, kRScale, kRZero };
  Composition c(e, node);
  for (const std::size_t i : {kWScale, kRScale})
    if (!c.rank(c.in(i)) || *c.rank(c.in(i)) > 2)
      return c.refuse("input " + std::to_string(i) + " is not supported",
                      c.rank(c.in(i)) ? std::to_string(*c.rank(c.in(i))) + " dims" : "a shape that is not stated",
                      "[directions] or [directions, 4 * hidden]");
  ir::Node plain = node;
  plain.domain.clear();
  plain.op = "LSTM";
  plain.version = 14;
  plain.inputs[kW] = lstm_weights(c, c.in(kW), c.in(kWScale), c.in(kWZero));
  plain.inputs[kR] = lstm_weights(c, c.in(kR), c.in(kRScale), c.in(kRZero));
  plain.inputs.resize(kWScale);
  while (plain.inputs.back() == ir::kNoValue) plain.inputs.pop_back();
  e.emit(std::move(plain));
  return {};
}

}  // namespace byoc::onnx_import
