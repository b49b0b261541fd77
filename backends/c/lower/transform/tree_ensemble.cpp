// byoc.TreeEnsemble: tables that stay in flash, and one loop over them.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/typed_step.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_tree_ensemble(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  if (x.dtype != DType::f32 && x.dtype != DType::f64) return refuse_dtype(x.dtype, "f32 or f64");
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    if (!region.values[node.inputs[i]].is_constant)
      return refuse(Reason::not_constant, "found computed trees, expected constants");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_tree_ensemble(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const std::string aggregate = node.text("aggregate", "sum");
  const std::string type(c_type(x.dtype));
  Kernel kernel{"tree_ensemble.c", typed_symbol("tree_ensemble_" + aggregate, {x.dtype}), {}};
  kernel.defines["BYOC_X"] = type;
  kernel.defines["BYOC_LARGEST_X"] = x.dtype == DType::f32 ? "FLT_MAX" : "DBL_MAX";
  if (aggregate == "min") kernel.defines["BYOC_MIN"] = "1";
  if (aggregate == "max") kernel.defines["BYOC_MAX"] = "1";
  if (aggregate == "average") kernel.defines["BYOC_AVERAGE"] = "1";
  TypedStep s(emitter, node);
  ParameterText p;
  p.add("rows", x.dims[0]).add("features", x.dims[1]).add("targets", node.integer("n_targets", 1));
  p.add("roots", emitter.input(node, 3)->elements());
  const std::string parameters = s.parameters(p, "byoc_tree_ensemble_t");
  s.call(
      kernel, "byoc_tree_ensemble.h", "BYOC_TREE_ENSEMBLE", {type},
      {parameters, s.in(0), s.in(1), "(const int32_t (*)[4])" + s.in(2), s.in(3), s.in(4), s.in(5), s.in(6), s.out(0)});
  return s.emit();
}

}  // namespace byoc::c
