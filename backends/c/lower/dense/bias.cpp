#include "backends/c/lower/dense/bias.hpp"

#include <algorithm>

#include "byoc/nodes/operand.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;
using codegen::ValueId;

// A MatMul of computed rows by one constant matrix, which lower_dense computes.
bool takes_bias(const Region& region, const Node& node) {
  if (!node.domain.empty() || node.op != "MatMul" || region.values[node.outputs[0]].dtype != DType::f32) return false;
  const Value &a = region.values[node.inputs[0]], &b = region.values[node.inputs[1]];
  return !a.is_constant && b.is_constant && b.dims.size() == 2 && a.dims.size() > 1 && a.dims.back() > 0 &&
         activation_bounds(node) == Bounds{};
}

// The constant that `add` adds to `sum`; null unless it is an element for each unit, in the shape of `sum`.
const Value* bias_of(const Region& region, const Node& add, ValueId sum) {
  if (!add.domain.empty() || add.op != "Add" || add.inputs.size() != 2 || !activation_bounds(add)) return nullptr;
  const Value& bias = region.values[add.inputs[add.inputs[0] == sum ? 1 : 0]];
  const std::vector<std::int64_t>& dims = region.values[sum].dims;
  const bool fits = bias.is_constant && bias.dtype == DType::f32 && !bias.dims.empty() &&
                    bias.dims.back() == dims.back() && bias.elements() == dims.back() &&
                    region.values[add.outputs[0]].dims == dims;
  return fits ? &bias : nullptr;
}

// The Add of a bias that is the only reader of the product.
const Node* following_bias(const Emitter& emitter, const Node& product) {
  const Node* reader = emitter.only_reader(product.outputs[0]);
  const bool fits = reader != nullptr && takes_bias(emitter.region, product) &&
                    bias_of(emitter.region, *reader, product.outputs[0]) != nullptr;
  return fits ? reader : nullptr;
}

}  // namespace

Clamped fuse_bias(Emitter& emitter, const Node& product, std::vector<float>& bias) {
  const Node* add = following_bias(emitter, product);
  if (add == nullptr) return fuse_clamp(emitter, product);
  bias = constant_elements<float>(*bias_of(emitter.region, *add, product.outputs[0]));
  Clamped out = fuse_clamp(emitter, *add);
  out.nodes.insert(out.nodes.begin(), static_cast<codegen::NodeId>(&product - emitter.region.nodes.data()));
  emitter.fused(product.outputs[0], out.output);
  return out;
}

bool bias_is_fused(const Emitter& emitter, const Node& add) {
  return std::ranges::any_of(add.inputs, [&](ValueId v) {
    const Node* producer = emitter.producer(v);
    return producer != nullptr && producer->outputs[0] == v && following_bias(emitter, *producer) == &add;
  });
}

}  // namespace byoc::c
