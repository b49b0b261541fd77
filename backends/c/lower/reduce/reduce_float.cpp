// ReduceMean and ReduceSum on f32: one sweep over x, which adds to the results.
#include "backends/c/lower/reduce/reduce_float.hpp"

#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/reduce/many.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/view.hpp"

namespace byoc::c {

using codegen::Node;

bool lower_reduce_float(Emitter& emitter, const Node& node, const std::vector<bool>& reduced) {
  const Extents dims = extents(*emitter.input(node, 0));
  Extents kept = dims;
  Extent count = 1;  // elements that make one result
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!reduced[i]) continue;
    count *= kept[i];
    kept[i] = 1;
  }
  if (!count.is_known()) return false;  // it may be 0, which the kernel does not expect
  // One operand: y, with stride 0 over the reduced dims.
  const LoopNest loops = merge({dims, {broadcast_strides(kept, dims)}});
  if (loops.dims.size() > kLoopRank) return false;
  const std::string name = stem(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  const std::string form = is_many(count) ? "reduce_sum_many_f32" : "reduce_sum_f32";
  step.kernel = emitter.kernel({form + ".c", "byoc_" + form, {}});
  const std::string x = operand(emitter, step, node.inputs[0], name + "_x");
  ParameterText p;
  add_loops(p, loops, {"y_stride"});
  p.add("results", elements(emitter.value(node.outputs[0])));
  p.add("factor", c_bound(node.op == "ReduceMean" ? 1.0f / static_cast<float>(count.known()) : 1.0f));
  StepText text;
  text.includes = {"byoc_reduce_f32.h"};
  text.parameters = {p.definition("byoc_reduce_f32_t", step.symbol + "_params")};
  if (is_many(count))
    step.workspaces = {{static_cast<std::uint64_t>(emitter.value(node.outputs[0]).bytes()), sizeof(float), {}}};
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, " + x + ", out0" +
              (is_many(count) ? ", (float *)ws0" : "") + ");\n";
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
