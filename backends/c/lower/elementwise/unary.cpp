#include "backends/c/lower/elementwise/unary.hpp"

#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/typed_function.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_unary_function(const Region& region, const Node& node, const UnaryFunction& f) {
  const Value& x = region.values[node.inputs[0]];
  if (x.quantised())
    return refuse(codegen::Reason::unsupported_quantisation,
                  "found quantised " + std::string(to_string(x.dtype)) + ", expected a plain tensor");
  if (expression(f, x.dtype).empty()) return refuse_dtype(x.dtype, expected_types(f));
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

std::string add_unary_kernel_call(Emitter& emitter, StepText& text, Kernel kernel, DType x_type, DType y_type,
                                  std::string_view parameter, const UnaryOperands& operands) {
  define_element(kernel, "BYOC_X", x_type);
  define_element(kernel, "BYOC_Y", y_type);
  kernel.defines["BYOC_PARAMETER"] = parameter;
  const std::string symbol = emitter.kernel(kernel);
  text.includes.insert({"byoc_unary.h", "<math.h>"});
  text.declarations.insert("BYOC_UNARY(" + symbol + ", " + std::string(c_type(x_type)) + ", " +
                           std::string(c_type(y_type)) + ", " + std::string(parameter) + ");");
  text.body += "  " + symbol + "(" + operands.count.text() + ", " + operands.from + ", " + operands.to + ", " +
               operands.a + ", " + operands.b + ");\n";
  return symbol;
}

std::string add_unary_call(Emitter& emitter, StepText& text, const UnaryFunction& f, DType x_type, DType y_type,
                           const UnaryOperands& operands) {
  if (!f.vector.empty() && x_type == DType::f32 && y_type == DType::f32 && emitter.target.has("mve.fp") &&
      emitter.objective != Objective::size) {
    const Kernel kernel{
        "unary_f32_mve.c", "byoc_" + std::string(f.stem) + "_f32_mve", {{"BYOC_FUNCTION", std::string(f.vector)}}};
    return add_unary_kernel_call(emitter, text, kernel, x_type, y_type, "float", operands);
  }
  const ElementType x = *element_type(x_type);
  const bool wide = !x.is_float() && bit_width(x_type) >= 32;
  const std::string_view parameter = x.is_float() || !f.real_parameters ? x.work : wide ? "double" : "float";
  Kernel kernel{"unary.c", "byoc_" + std::string(f.stem) + "_" + std::string(to_string(x_type)), {}};
  define_arithmetic(kernel, x_type);
  if (parameter == "double") kernel.defines["BYOC_DOUBLE"] = "1";
  kernel.defines["BYOC_FUNCTION"] = expression(f, x_type);
  return add_unary_kernel_call(emitter, text, std::move(kernel), x_type, y_type, parameter, operands);
}

bool lower_unary_function(Emitter& emitter, const Node& node, const UnaryFunction& f, const std::string& a,
                          const std::string& b) {
  const Value& x = *emitter.input(node, 0);
  const Value& y = emitter.value(node.outputs[0]);
  codegen::Step step;
  StepText text;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  const std::string from = operand(emitter, step, node.inputs[0], name + "_x");
  step.kernel = add_unary_call(emitter, text, f, x.dtype, y.dtype, {elements(y), from, "out0", a, b});
  step.outputs = {{node.outputs[0]}};
  if (!step.inputs.empty() && c_type(x.dtype) == c_type(y.dtype)) step.overlays = {{.output = 0, .input = 0}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
