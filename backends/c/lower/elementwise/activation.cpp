#include "backends/c/lower/elementwise/activation.hpp"

#include <algorithm>
#include <cmath>

#include "byoc/nodes/operand.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::ValueId;

// Operators whose float lowering calls fuse_clamp.
constexpr std::string_view kFusing[] = {
    "Add", "BatchNormalization", "Conv", "ConvTranspose", "Div", "FullyConnected", "Gemm", "MatMul", "Mul", "Sub",
    "Sum"};

bool can_fuse(const Region& region, const Node& node) {
  return std::find(std::begin(kFusing), std::end(kFusing), node.op) != std::end(kFusing) &&
         region.values[node.outputs[0]].dtype == DType::f32 && node.integer("training_mode", 0) == 0;
}

// The Relu or Clip that is the only reader of this node's output.
const Node* following_clamp(const Emitter& emitter, const Node& node) {
  const Node* reader = emitter.only_reader(node.outputs[0]);
  const bool fits = reader != nullptr && reader->inputs[0] == node.outputs[0] && can_fuse(emitter.region, node) &&
                    clamp_bounds(emitter.region, *reader);
  return fits ? reader : nullptr;
}

}  // namespace

std::string c_bound(float f) {
  if (std::isinf(f)) return f > 0 ? "INFINITY" : "-INFINITY";
  return c_float(f);
}

std::string c_bounds(const Bounds& b) { return "{" + c_bound(b.lo) + ", " + c_bound(b.hi) + "}"; }

Clamped fuse_clamp(Emitter& emitter, const Node& node) {
  const auto id = [&](const Node& n) { return static_cast<codegen::NodeId>(&n - emitter.region.nodes.data()); };
  Clamped out{node.outputs[0], {id(node)}, activation_bounds(node).value_or(Bounds{})};
  if (const Node* next = following_clamp(emitter, node)) {
    const Bounds b = *clamp_bounds(emitter.region, *next);
    const auto clamp = [&](float v) { return std::min(std::max(v, b.lo), b.hi); };
    out = {next->outputs[0], {id(node), id(*next)}, {clamp(out.bounds.lo), clamp(out.bounds.hi)}};
    emitter.fused(node.outputs[0], next->outputs[0]);
  }
  return out;
}

bool clamp_is_fused(const Emitter& emitter, const Node& node) {
  const Node* producer = emitter.producer(node.inputs[0]);
  return producer != nullptr && producer->outputs[0] == node.inputs[0] && following_clamp(emitter, *producer) == &node;
}

}  // namespace byoc::c
