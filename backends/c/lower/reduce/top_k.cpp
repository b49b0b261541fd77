// TopK: with a constant k, or with room for all of the axis and a count.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

namespace {

// The result that is there: the values, or else the indices.
const Value& any_output(const Region& region, const Node& node) {
  return region.values[node.outputs[0] != codegen::kNoValue ? node.outputs[0] : node.outputs[1]];
}

bool is_wanted(const Node& node, std::size_t output) {
  return output < node.outputs.size() && node.outputs[output] != codegen::kNoValue;
}

}  // namespace

codegen::Verdict accepts_top_k(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  if (!is_float_type(x.dtype) && !is_integer_type(x.dtype)) return refuse_dtype(x.dtype, "a number");
  if (is_wanted(node, 0) && !same_quantisation(region, x, region.values[node.outputs[0]])) return refuse_quantisation();
  std::string why;
  if (!read_axis(node.integer("axis", -1), x.dims.size(), why)) return refuse(Reason::unsupported_attribute, why);
  const Value& k = region.values[node.inputs[1]];
  if (node.domain == "byoc" && (k.elements() != 1 || (k.dtype != DType::i64 && k.dtype != DType::i32)))
    return refuse(Reason::unsupported_attribute, "found k " + shape_text(k) + ", expected one i64");
  if (node.domain != "byoc" && !k.is_constant)
    return refuse(Reason::not_constant, "found a computed k, expected a constant");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_top_k(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const Value& y = any_output(emitter.region, node);
  std::string why;
  const auto axis = read_axis(node.integer("axis", -1), x.dims.size(), why);
  if (!axis) return emitter.error(node, why);
  StepBuilder step(emitter, node);
  const std::string room = std::to_string(y.dims[*axis]);
  std::string count = room;
  if (node.domain == "byoc") {
    count = "count";
    const std::string k = step.input(1);
    step.line("const int32_t count = *" + k + " < 0 || *" + k + " > " + room + " ? -1 : (int32_t)*" + k + ";");
    step.fail_if("count " + std::string(is_wanted(node, 2) ? "< 0" : "!= " + room),
                 is_wanted(node, 2) ? reason::kLength : reason::kNumbers);
    if (is_wanted(node, 2)) step.line("*" + step.output(2) + " = count;");
  }
  Kernel kernel{"top_k.c", "byoc_top_k_" + std::string(to_string(x.dtype)), {}};
  if (y.elements() != 0) {
    const ElementType t = *element_type(x.dtype);
    define_element(kernel, "BYOC_X", x.dtype);
    kernel.defines["BYOC_LESS(a, b)"] = t.is_float() ? "((a) == (a) && ((b) != (b) || (a) < (b)))" : "((a) < (b))";
    emitter.kernel(kernel);
    std::int64_t outer = 1, inner = 1;
    for (std::size_t d = 0; d < x.dims.size(); ++d)
      if (d != *axis) (d < *axis ? outer : inner) *= x.dims[d];
    ParameterText p;
    p.add("outer", outer).add("length", x.dims[*axis]).add("inner", inner).add("k", y.dims[*axis]);
    p.add("largest", node.integer("largest", 1) != 0 ? 1 : 0);
    step.text.includes.insert("byoc_top_k.h");
    step.text.declarations.insert("BYOC_TOP_K(" + kernel.symbol + ", " + std::string(t.storage) + ");");
    const std::string from = step.input(0);
    const std::string values = is_wanted(node, 0) ? step.output(0) : "NULL";
    const std::string indices = is_wanted(node, 1) ? step.output(1) : "NULL";
    const std::string heap = step.workspace(static_cast<std::uint64_t>(y.dims[*axis]) * 4, 4);
    step.line(kernel.symbol + "(" + step.parameters("byoc_top_k_t", p) + ", " + count + ", " + from + ", " + values +
              ", " + indices + ", (int32_t *)" + heap + ");");
  }
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
