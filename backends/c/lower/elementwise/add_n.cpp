// byoc.AddN on TFLite's i8.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

tflite::PairParameters add_n_factors(const Region& region, const Node& node) {
  return tflite::add_n_parameters(affine(region.values[node.inputs[0]]), affine(region.values[node.outputs[0]]));
}

}  // namespace

codegen::Verdict accepts_add_n(const Region& region, const Node& node, const TargetSpec&) {
  const Value& y = region.values[node.outputs[0]];
  for (const codegen::ValueId v : node.inputs) {
    const Value& x = region.values[v];
    if (auto no = refuse_unless_s8(x, "input")) return *no;
    if (x.dims != y.dims || x.quantisation != region.values[node.inputs[0]].quantisation)
      return refuse(codegen::Reason::unsupported_shape, "found inputs that differ in shape or quantisation");
  }
  if (auto no = refuse_unless_s8(y, "output")) return *no;
  if (add_n_factors(region, node).y.shift > 30)
    return refuse(codegen::Reason::unsupported_quantisation, "found an output multiplier of 2^30 or more");
  return claim();
}

bool lower_add_n(Emitter& emitter, const Node& node) {
  const std::string name = stem(emitter, node);
  const tflite::PairParameters f = add_n_factors(emitter.region, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  step.nodes = {node_id(emitter, node)};
  step.kernel = emitter.kernel({"add_n_s8.c", "byoc_add_n_s8", {}});
  StepText text;
  text.includes = {"byoc_add_n_s8.h"};
  std::string list;
  for (const codegen::ValueId v : node.inputs) {
    if (!emitter.value(v).is_constant)
      step.overlays.push_back({.output = 0, .input = static_cast<std::uint32_t>(step.inputs.size())});
    list += (list.empty() ? "" : ", ") + operand(emitter, step, v, name + "_x");
  }
  const Value &x = *emitter.input(node, 0), &y = emitter.value(node.outputs[0]);
  text.parameters = {ParameterText()
                         .add("count", y.elements())
                         .add("inputs", static_cast<std::int64_t>(node.inputs.size()))
                         .add("in_zero", affine(x).zero)
                         .add("half", f.a.q)
                         .add("half_shift", f.a.shift)
                         .add("multiplier", f.y.q)
                         .add("shift", f.y.shift)
                         .add("zero", affine(y).zero)
                         .definition("byoc_add_n_s8_t", step.symbol + "_params")};
  text.body = "  const int8_t *inputs[" + std::to_string(node.inputs.size()) + "];\n";
  std::size_t at = 0, k = 0;
  while (at < list.size()) {
    const std::size_t end = std::min(list.find(", ", at), list.size());
    text.body += "  inputs[" + std::to_string(k++) + "] = " + list.substr(at, end - at) + ";\n";
    at = end + 2;
  }
  text.body += "  " + step.kernel + "(&" + step.symbol + "_params, inputs, out0);\n";
  step.outputs = {{node.outputs[0]}};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
