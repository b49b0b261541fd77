// Where: elements of any type of whole bytes, chosen by a condition.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/copy.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/view.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_where(const Region& region, const Node& node, const TargetSpec&) {
  const Value& y = region.values[node.outputs[0]];
  if (region.values[node.inputs[0]].dtype != DType::boolean)
    return refuse_dtype(region.values[node.inputs[0]].dtype, "a condition of bool");
  if (element_size(y.dtype) == 0) return refuse_dtype(y.dtype, "elements of 1, 2, 4 or 8 bytes");
  for (const std::size_t i : {1u, 2u}) {
    const Value& x = region.values[node.inputs[i]];
    if (x.dtype != y.dtype) return refuse_dtype(x.dtype, to_string(y.dtype));
    if (x.quantisation != y.quantisation)
      return refuse(Reason::unsupported_quantisation, "found different quantisations, expected one");
  }
  for (const codegen::ValueId v : node.inputs)
    if (region.symbols.empty() && !broadcasts_to(region.values[v], y))
      return refuse(Reason::unsupported_shape, "found an operand " + shape_text(region.values[v]) +
                                                   ", expected one that broadcasts to " + shape_text(y));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_where(Emitter& emitter, const Node& node) {
  const Value& y = emitter.value(node.outputs[0]);
  const std::string size = std::to_string(element_size(y.dtype));
  const std::string name = stem(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  step.kernel = emitter.kernel(
      {"where.c", "byoc_where_" + size, {{"BYOC_ELEMENT", "uint" + std::to_string(element_size(y.dtype) * 8) + "_t"}}});
  std::vector<std::string> operands;
  LoopNest all{extents(y), {}};
  for (const codegen::ValueId v : node.inputs) {
    operands.push_back(operand(emitter, step, v, name + "_" + "cab"[operands.size()]));
    all.strides.push_back(broadcast_strides(extents(emitter.value(v)), all.dims));
  }
  all.strides.push_back(dense_strides(all.dims));
  const PeeledNest nest = peel(merge(all));
  ParameterText p;
  add_loops(p, nest.inner, {"condition_stride", "a_stride", "b_stride"});
  StepText text;
  text.includes = {"byoc_where.h"};
  text.parameters = {p.definition("byoc_where_t", step.symbol + "_params")};
  std::string arguments = "&" + step.symbol + "_params";
  for (std::size_t i = 0; i < operands.size(); ++i) arguments += ", " + operands[i] + nest.offsets[i];
  text.body = nest.around("  " + step.kernel + "(" + arguments + ", out0" + nest.offsets[3] + ");\n");
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
