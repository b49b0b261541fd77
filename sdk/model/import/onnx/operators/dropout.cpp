#include <algorithm>

#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

namespace {

bool is_zero(const Normaliser& e, ir::ValueId v) {
  const auto bytes = e.graph.values[v].constant->bytes.bytes();
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

// In inference, and in training with a ratio of 0, Dropout gives its input back. The mask says true everywhere: of
// bool, before opset 10 of the input's type. Where a run says which it is, it stays a Dropout.
Result<void> normalise_dropout(Normaliser& e, ir::Node node) {
  const ir::ValueId training = node.input(2);
  if (training != ir::kNoValue) {
    if (!e.graph.is_constant(training)) {
      e.emit(std::move(node));
      return {};
    }
    const ir::ValueId ratio = node.input(1);
    const bool keeps_all = ratio != ir::kNoValue && e.graph.is_constant(ratio) && is_zero(e, ratio);
    if (!is_zero(e, training) && !keeps_all)
      return e.refuse(node, "training is not supported: it drops elements at random", "training_mode true",
                      "false, or a constant ratio of 0");
  }
  if (node.outputs.size() > 1 && node.outputs[1] != ir::kNoValue) {
    constexpr std::int64_t kVersion = 15;
    ir::Tensor kept;
    kept.type.dtype = DType::boolean;
    kept.type.dims = {1};
    kept.bytes = Blob::own({std::byte{1}});
    const ir::ValueId shape = e.apply(node, "Shape", kVersion, {node.inputs[0]});
    const ir::ValueId mask = e.apply(node, "ConstantOfShape", kVersion, {shape}, {{"value", std::move(kept)}});
    ir::Node last = node;
    last.op = node.version < 10 ? "CastLike" : "Identity";
    last.version = kVersion;
    last.attributes.clear();
    last.inputs = {mask};
    if (node.version < 10) last.inputs.push_back(node.inputs[0]);
    last.outputs = {node.outputs[1]};
    e.emit(std::move(last));
  }
  node.outputs.resize(1);
  node.op = "Identity";
  node.inputs.resize(1);
  node.attributes.clear();
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
