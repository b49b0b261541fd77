#include "backends/c/lower/binary.hpp"

#include <algorithm>

#include "backends/c/lower/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/operands.hpp"
#include "backends/c/lower/view.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

struct Operation {
  std::string_view op, symbol, expression;
};

constexpr Operation kOperations[] = {
    {"Add", "byoc_add_f32", "(u + v)"},         {"Div", "byoc_div_f32", "(u / v)"},
    {"Max", "byoc_max_f32", "(u > v ? u : v)"}, {"Min", "byoc_min_f32", "(u < v ? u : v)"},
    {"Mul", "byoc_mul_f32", "(u * v)"},         {"PRelu", "byoc_prelu_f32", "(u < 0.0f ? u * v : u)"},
    {"Pow", "byoc_pow_f32", "powf(u, v)"},      {"Sub", "byoc_sub_f32", "(u - v)"},
    {"Sum", "byoc_add_f32", "(u + v)"},
};

LoopNest loops(const Value& a, const Value& b, const Value& y) {
  LoopNest nest = merge({y.dims, {broadcast_strides(a.dims, y.dims), broadcast_strides(b.dims, y.dims)}});
  return nest;
}

bool broadcasts_to(const Value& a, const Value& y) {
  if (a.dims.size() > y.dims.size()) return false;
  for (std::size_t i = 1; i <= a.dims.size(); ++i)
    if (a.dims[a.dims.size() - i] != 1 && a.dims[a.dims.size() - i] != y.dims[y.dims.size() - i]) return false;
  return true;
}

}  // namespace

codegen::Verdict accepts_binary_float(const Region& region, const Node& node, const TargetSpec&) {
  const Value& y = region.values[node.outputs[0]];
  for (codegen::ValueId v : node.inputs) {
    const Value& x = region.values[v];
    if (x.dtype != DType::f32) return refuse_dtype(x.dtype, "f32");
    if (!broadcasts_to(x, y))
      return refuse(Reason::unsupported_shape,
                    "found an operand " + shape_text(x) + ", expected one that broadcasts to " + shape_text(y));
    if (loops(x, region.values[node.inputs[0]], y).dims.size() > kLoopRank)
      return refuse(Reason::unsupported_shape, "found broadcasting over " + std::to_string(y.dims.size()) +
                                                   " dims that do not merge, expected at most " +
                                                   std::to_string(kLoopRank));
  }
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_binary_float(Emitter& emitter, const Node& node) {
  const auto* operation =
      std::find_if(std::begin(kOperations), std::end(kOperations), [&](const Operation& o) { return o.op == node.op; });
  if (operation == std::end(kOperations)) return emitter.error(node, "is not a function of two elements");
  if (node.inputs.size() == 1) {
    emitter.alias(node.outputs[0], node.inputs[0]);
    return true;
  }
  const std::string name = stem(emitter, node);
  const Clamped clamped = fuse_clamp(emitter, node);
  const Value& y = emitter.value(node.outputs[0]);
  codegen::Step step;
  StepText text;
  step.symbol = emitter.host().claim(name);
  step.kernel = emitter.kernel(
      {"binary_f32.c", std::string(operation->symbol), {{"BYOC_OPERATION", std::string(operation->expression)}}});
  text.includes = {"byoc_binary_f32.h"};

  std::string left = operand(emitter, step, node.inputs[0], name + "_a");
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const std::string right = operand(emitter, step, node.inputs[i], name + "_b");
    const bool last = i + 1 == node.inputs.size();
    ParameterText p;
    add_loops(p, loops(i == 1 ? emitter.value(node.inputs[0]) : y, emitter.value(node.inputs[i]), y),
              {"a_stride", "b_stride"});
    p.add("bounds", c_bounds(last ? clamped.bounds : Bounds{}));
    const std::string params = step.symbol + "_params" + (i == 1 ? "" : std::to_string(i));
    text.prelude += p.definition("byoc_binary_f32_t", params);
    text.body += "  " + step.kernel + "(&" + params + ", " + left + ", " + right + ", out0);\n";
    left = "out0";
  }
  // The first call reads the first two inputs and writes the output; later inputs must outlive it.
  std::uint32_t position = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Value& x = emitter.value(node.inputs[i]);
    if (x.is_constant) continue;
    if (x.elements() == y.elements()) step.overlays.push_back({.output = 0, .input = position});
    ++position;
  }
  step.outputs = {{clamped.output}};
  step.nodes = clamped.nodes;
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
