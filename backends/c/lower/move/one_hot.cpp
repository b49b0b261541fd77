// OneHot.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_one_hot(const Region& region, const Node& node, const TargetSpec&) {
  const Value& y = region.values[node.outputs[0]];
  const Value& indices = region.values[node.inputs[0]];
  std::string why;
  if (!read_axis(node.integer("axis", -1), y.dims.size(), why)) return refuse(Reason::unsupported_attribute, why);
  if (!is_float_type(indices.dtype) && !is_integer_type(indices.dtype)) return refuse_dtype(indices.dtype, "a number");
  if (element_size(y.dtype) == 0) return refuse_dtype(y.dtype, "elements of 1, 2, 4 or 8 bytes");
  if (indices.quantised() || !same_quantisation(region, region.values[node.inputs[2]], y)) return refuse_quantisation();
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_one_hot(Emitter& emitter, const Node& node) {
  std::string why;
  const Value& y = emitter.value(node.outputs[0]);
  const DType dtype = emitter.input(node, 0)->dtype;
  const auto axis = read_axis(node.integer("axis", -1), y.dims.size(), why);
  if (!axis) return emitter.error(node, why);
  StepBuilder step(emitter, node);
  const std::size_t size = element_size(y.dtype);
  Kernel kernel{"one_hot.c", "byoc_one_hot_" + std::to_string(size) + "_" + std::string(to_string(dtype)), {}};
  if (y.elements() != 0) {
    const ElementType index = *element_type(dtype);
    define_element(kernel, "BYOC_I", dtype);
    if (!index.is_signed()) kernel.defines["BYOC_NATURAL"] = "1";
    if (index.is_float()) kernel.defines["BYOC_REAL"] = "1";
    kernel.defines["BYOC_ELEMENT"] = "uint" + std::to_string(size * 8) + "_t";
    emitter.kernel(kernel);
    std::int64_t outer = 1, inner = 1;
    for (std::size_t d = 0; d < y.dims.size(); ++d)
      if (d != *axis) (d < *axis ? outer : inner) *= y.dims[d];
    ParameterText p;
    p.add("outer", outer).add("depth", y.dims[*axis]).add("inner", inner);
    step.text.includes.insert("byoc_arrange.h");
    step.text.declarations.insert("BYOC_ONE_HOT(" + kernel.symbol + ", " + std::string(index.storage) + ");");
    const std::string indices = step.input(0), values = step.input(2);
    step.line(kernel.symbol + "(" + step.parameters("byoc_one_hot_t", p) + ", " + indices + ", " + values + ", " +
              step.output(0) + ");");
  }
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
