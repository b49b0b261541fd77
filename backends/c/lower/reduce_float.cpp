// ReduceMean and ReduceSum on f32, over constant axes.
#include "backends/c/lower/activation.hpp"
#include "backends/c/lower/constants.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/operands.hpp"
#include "backends/c/lower/view.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

struct Reduction {
  LoopNest loops;          // one operand: y, with stride 0 over the reduced dims
  std::int64_t count = 1;  // elements that make one result
};

std::optional<Reduction> read(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  std::vector<bool> reduced(x.dims.size(), false);
  const Value* axes = given_input(region, node, 1);
  if (axes && (!axes->is_constant || axes->dtype != DType::i64)) {
    why = "found computed axes, expected an i64 constant";
    return std::nullopt;
  }
  const Dims list = axes ? constant_elements<std::int64_t>(*axes) : Dims{};
  for (std::int64_t axis : list) {
    if (axis < -rank || axis >= rank) {
      why = "found axis " + std::to_string(axis) + ", expected one of " + shape_text(x);
      return std::nullopt;
    }
    reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  // No axes: all of them, or with noop_with_empty_axes none.
  if (list.empty() && node.integer("noop_with_empty_axes", 0) == 0) reduced.assign(x.dims.size(), true);

  Reduction r;
  Dims kept;
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    kept.push_back(reduced[i] ? 1 : x.dims[i]);
    if (reduced[i]) r.count *= x.dims[i];
  }
  r.loops = merge({x.dims, {broadcast_strides(kept, x.dims)}});
  return r;
}

}  // namespace

codegen::Verdict accepts_reduce_float(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  if (x.dtype != DType::f32) return refuse_dtype(x.dtype, "f32");
  std::string why;
  const auto r = read(region, node, why);
  if (!r) return refuse(Reason::unsupported_attribute, why);
  if (r->loops.dims.size() > kLoopRank)
    return refuse(Reason::unsupported_shape, "found " + std::to_string(r->loops.dims.size()) +
                                                 " dims that do not merge, expected at most " +
                                                 std::to_string(kLoopRank));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_reduce_float(Emitter& emitter, const Node& node) {
  std::string why;
  const auto r = read(emitter.region, node, why);
  if (!r) return emitter.error(node, why);
  const std::string name = stem(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  step.kernel = emitter.kernel({"reduce_sum_f32.c", "byoc_reduce_sum_f32", {}});
  const std::string x = operand(emitter, step, node.inputs[0], name + "_x");
  ParameterText p;
  add_loops(p, r->loops, {"y_stride"});
  p.add("results", emitter.value(node.outputs[0]).elements());
  p.add("factor", c_bound(node.op == "ReduceMean" ? 1.0f / static_cast<float>(r->count) : 1.0f));
  StepText text;
  text.includes = {"byoc_reduce_f32.h"};
  text.prelude = p.definition("byoc_reduce_f32_t", step.symbol + "_params");
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, " + x + ", out0);\n";
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
