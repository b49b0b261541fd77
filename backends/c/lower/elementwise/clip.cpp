// Clip, where no producer has fused it.
#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/elementwise/binary.hpp"
#include "backends/c/lower/elementwise/unary.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

// max first, then min: where the bounds cross, the upper one wins, as ONNX says.
constexpr std::string_view kExpression = "((v < a ? a : v) > b ? b : (v < a ? a : v))";
constexpr UnaryFunction kClip{"clip", kExpression, kExpression, kExpression};
// Computed bounds are applied one after the other. A NaN stays a NaN.
constexpr BinaryFunction kAtLeast{"at_least", "(u < v ? v : u)", "(u < v ? v : u)", "(u < v ? v : u)"};
constexpr BinaryFunction kAtMost{"at_most", "(u > v ? v : u)", "(u > v ? v : u)", "(u > v ? v : u)"};

bool has_constant_bounds(const Region& region, const Node& node) {
  for (const std::size_t i : {1u, 2u})
    if (const Value* bound = given_input(region, node, i); bound && !bound->is_constant) return false;
  return true;
}

}  // namespace

codegen::Verdict accepts_clip(const Region& region, const Node& node, const TargetSpec& target) {
  const Value& x = region.values[node.inputs[0]];
  if (x.quantised()) return accepts_clip_quantised(region, node, target);
  for (const std::size_t i : {1u, 2u}) {
    const Value* bound = given_input(region, node, i);
    if (!bound) continue;
    if (bound->dtype != x.dtype) return refuse_dtype(bound->dtype, to_string(x.dtype));
    if (bound->elements() != 1)
      return refuse(codegen::Reason::unsupported_shape, "found a bound " + shape_text(*bound) + ", expected a scalar");
  }
  return accepts_unary_function(region, node, kClip);
}

bool lower_clip(Emitter& emitter, const Node& node) {
  if (emitter.value(node.inputs[0]).quantised()) return lower_clip_quantised(emitter, node);
  if (clamp_is_fused(emitter, node)) return true;
  const DType t = emitter.input(node, 0)->dtype;
  const Value* low = emitter.input(node, 1);
  const Value* high = emitter.input(node, 2);
  if (has_constant_bounds(emitter.region, node)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return lower_unary_function(emitter, node, kClip, low ? c_element(*low, 0) : c_literal(t, -infinity),
                                high ? c_element(*high, 0) : c_literal(t, infinity));
  }
  std::vector<BinaryCall> calls;
  if (low) calls.push_back({&kAtLeast, node.inputs[1]});
  if (high) calls.push_back({&kAtMost, node.inputs[2]});
  return lower_binary_calls(emitter, node, node.inputs[0], calls);
}

}  // namespace byoc::c
