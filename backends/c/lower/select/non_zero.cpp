// NonZero: the indices of the elements that are not zero, and how many there are.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/select/select.hpp"
#include "backends/c/lower/step/element_type.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_non_zero(const Region& region, const Node& node, const TargetSpec&) {
  const DType dtype = region.values[node.inputs[0]].dtype;
  if (!element_type(dtype)) return refuse_dtype(dtype, "a type of whole bytes");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_non_zero(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const bool rows = node.integer("rows", 0) != 0;
  const std::int64_t room = emitter.value(node.outputs[0]).dims[rows ? 0 : 1];
  Kernel kernel{"non_zero.c", "byoc_non_zero_" + std::string(to_string(x.dtype)), {}};
  define_element(kernel, "BYOC_X", x.dtype);
  emitter.kernel(kernel);
  StepBuilder step(emitter, node);
  step.text.includes.insert("byoc_select.h");
  step.text.declarations.insert("BYOC_NON_ZERO(" + kernel.symbol + ", " + std::string(c_type(x.dtype)) + ");");
  std::vector<std::int32_t> dims(x.dims.begin(), x.dims.end());
  if (dims.empty()) dims.push_back(1);  // a scalar is a vector of one element
  ParameterText p;
  p.add("elements", x.elements()).add("rank", static_cast<std::int64_t>(dims.size())).add("room", room);
  p.add("of_dim", rows ? 1 : room).add("of_place", rows ? static_cast<std::int64_t>(dims.size()) : 1);
  const std::string lengths = step.table("dims", std::span<const std::int32_t>(dims));
  const std::string from = step.input(0), to = step.output(0);
  take_count(
      step, node, 1,
      kernel.symbol + "(" + step.parameters("byoc_non_zero_t", p) + ", " + lengths + ", " + from + ", " + to + ")",
      room);
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
