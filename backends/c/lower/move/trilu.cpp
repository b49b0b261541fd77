// Trilu: rows copied up to the diagonal or from it, the rest zero.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_trilu(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value* k = given_input(region, node, 1);
  if (element_size(x.dtype) == 0) return refuse_dtype(x.dtype, "elements of 1, 2, 4 or 8 bytes");
  if (x.dims.size() < 2) return refuse(Reason::unsupported_shape, "found " + shape_text(x) + ", expected matrices");
  if (k && (k->elements() != 1 || (k->dtype != DType::i64 && k->dtype != DType::i32)))
    return refuse(Reason::unsupported_attribute, "found k " + shape_text(*k) + ", expected one i64");
  if (!same_quantisation(region, x, region.values[node.outputs[0]])) return refuse_quantisation();
  if (zero_bits(x) != 0) return refuse(Reason::unsupported_quantisation, "found a zero point, expected 0");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_trilu(Emitter& emitter, const Node& node) {
  const Value& y = emitter.value(node.outputs[0]);
  StepBuilder step(emitter, node);
  const std::string kernel = "byoc_triangle";
  if (y.elements() != 0) {
    emitter.kernel({"triangle.c", kernel, {}});
    const std::int64_t rows = y.dims[y.dims.size() - 2], columns = y.dims.back();
    ParameterText p;
    p.add("matrices", y.elements() / (rows * columns)).add("rows", rows).add("columns", columns);
    p.add("size", static_cast<std::int64_t>(element_size(y.dtype)));
    p.add("upper", node.integer("upper", 1) != 0 ? 1 : 0);
    const std::string x = step.input(0);
    std::string k = "0";
    if (const auto known = constant_integers(emitter.region, node, 1))
      k = std::to_string(std::min<std::int64_t>(std::max<std::int64_t>((*known)[0], -rows), columns));
    else if (emitter.input(node, 1) != nullptr)
      k = "*" + step.input(1);
    step.text.includes.insert("byoc_arrange.h");
    step.line(kernel + "(" + step.parameters("byoc_triangle_t", p) + ", " + x + ", " + k + ", " + step.output(0) +
              ");");
  }
  step.finish(kernel);
  return true;
}

}  // namespace byoc::c
