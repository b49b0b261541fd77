#include "backends/c/lower/elementwise/binary.hpp"

#include <cmath>

#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/elementwise/unary.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/typed_function.hpp"
#include "backends/c/lower/step/view.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

bool computes_in_vectors(const Emitter& emitter, const BinaryFunction& f) {
  return !f.vector.empty() && emitter.target.has("mve.fp") && emitter.objective != Objective::size;
}

// The kernels of f32 whose bounds are parameters; the others are instantiated with their bounds.
bool has_bounds(const Emitter& emitter, const BinaryFunction& f, DType t) {
  return t == DType::f32 && (f.clamps || computes_in_vectors(emitter, f));
}

Kernel kernel_with_bounds(const Emitter& emitter, const BinaryFunction& f, const Bounds& bounds) {
  const bool clamps = !(bounds == Bounds{}), vectors = computes_in_vectors(emitter, f);
  Kernel kernel{vectors ? "binary_f32_mve.c" : "binary_f32.c",
                "byoc_" + std::string(f.stem) + (clamps ? "_clamped" : "") + "_f32" + (vectors ? "_mve" : ""),
                {{"BYOC_OPERATION", std::string(vectors ? f.vector : expression(f, DType::f32))}}};
  if (clamps) kernel.defines["BYOC_CLAMPED"] = "1";
  return kernel;
}

Kernel typed_kernel(const BinaryFunction& f, DType left, DType right, DType out, const std::string& activation) {
  Kernel kernel{"binary.c", "byoc_" + std::string(f.stem) + "_" + std::string(to_string(left)), {}};
  if (right != left) kernel.symbol += "_" + std::string(to_string(right));
  define_element(kernel, "BYOC_A", left);
  define_element(kernel, "BYOC_B", right);
  define_element(kernel, "BYOC_Y", out);
  define_arithmetic(kernel, left);
  kernel.defines["BYOC_OPERATION"] = expression(f, left);
  if (activation == "none") return kernel;
  kernel.symbol += "_" + activation;
  const double low = activation == "relu_n1_to_1" ? -1 : 0, high = activation == "relu6" ? 6 : 1;
  if (element_type(out)->is_signed()) kernel.defines["BYOC_LEAST"] = c_literal(out, low);
  if (activation != "relu") kernel.defines["BYOC_MOST"] = c_literal(out, high);
  return kernel;
}

std::string declaration(const std::string& symbol, DType left, DType right, DType out) {
  return "BYOC_BINARY(" + symbol + ", " + std::string(c_type(left)) + ", " + std::string(c_type(right)) + ", " +
         std::string(c_type(out)) + ");";
}

}  // namespace

codegen::Verdict accepts_binary_function(const Region& region, const Node& node, const BinaryFunction& f) {
  const Value& y = region.values[node.outputs[0]];
  for (codegen::ValueId v : node.inputs) {
    if (v == codegen::kNoValue) continue;
    const Value& x = region.values[v];
    if (x.quantised())
      return refuse(Reason::unsupported_quantisation,
                    "found quantised " + std::string(to_string(x.dtype)) + ", expected a plain tensor");
    if (expression(f, x.dtype).empty()) return refuse_dtype(x.dtype, expected_types(f));
    if (region.symbols.empty() && !broadcasts_to(x, y))
      return refuse(Reason::unsupported_shape,
                    "found an operand " + shape_text(x) + ", expected one that broadcasts to " + shape_text(y));
  }
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_binary_calls(Emitter& emitter, const Node& node, codegen::ValueId first,
                        const std::vector<BinaryCall>& calls, std::int64_t divisor) {
  const std::string name = stem(emitter, node);
  const Value& y = emitter.value(node.outputs[0]);
  Clamped clamped{node.outputs[0], {node_id(emitter, node)}, {}};
  std::string activation = "none";
  if (has_bounds(emitter, *calls.back().function, y.dtype))
    clamped = fuse_clamp(emitter, node);
  else if (calls.back().function->clamps)
    activation = node.text("activation", "none");

  codegen::Step step;
  StepText text;
  step.symbol = emitter.host().claim(name);
  std::string left = operand(emitter, step, first, name + "_a");
  const Value* left_value = &emitter.value(first);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Value& right_value = emitter.value(calls[i].right);
    const std::string right = operand(emitter, step, calls[i].right, name + "_b");
    const BinaryFunction& f = *calls[i].function;
    const bool bounded = has_bounds(emitter, f, y.dtype), last = i + 1 == calls.size();
    const Bounds bounds = last ? clamped.bounds : Bounds{};
    step.kernel = emitter.kernel(
        bounded ? kernel_with_bounds(emitter, f, bounds)
                : typed_kernel(f, left_value->dtype, right_value.dtype, y.dtype, last ? activation : "none"));
    const Extents dims = extents(y);
    const PeeledNest nest = peel(merge({dims,
                                        {broadcast_strides(extents(*left_value), dims),
                                         broadcast_strides(extents(right_value), dims), dense_strides(dims)}}));
    ParameterText p;
    add_loops(p, nest.inner, {"a_stride", "b_stride"});
    if (bounded) p.add("bounds", c_bounds(bounds));
    const std::string params = step.symbol + "_params" + (i == 0 ? "" : std::to_string(i + 1));
    text.parameters.push_back(p.definition(bounded ? "byoc_binary_f32_t" : "byoc_binary_t", params));
    text.body += nest.around("  " + step.kernel + "(&" + params + ", " + left + nest.offsets[0] + ", " + right +
                             nest.offsets[1] + ", out0" + nest.offsets[2] + ");\n");
    text.includes.insert(bounded ? "byoc_binary_f32.h" : "byoc_binary.h");
    text.declarations.insert(bounded ? "BYOC_BINARY_F32(" + step.kernel + ");"
                                     : declaration(step.kernel, left_value->dtype, right_value.dtype, y.dtype));
    left = "out0";
    left_value = &y;
  }
  constexpr UnaryFunction kDivide{"divide", "(v / a)"};
  if (divisor != 1)
    add_unary_call(emitter, text, kDivide, y.dtype, y.dtype,
                   {elements(y), "out0", "out0", c_literal(y.dtype, divisor)});
  // The first call reads the first two inputs and writes the output; later inputs must outlive it.
  std::uint32_t position = 0;
  for (const codegen::ValueId v : {first, calls[0].right}) {
    const Value& x = emitter.value(v);
    if (x.is_constant) continue;
    if (x.elements() == y.elements() && c_type(x.dtype) == c_type(y.dtype))
      step.overlays.push_back({.output = 0, .input = position});
    ++position;
  }
  step.outputs = {{clamped.output}};
  step.nodes = clamped.nodes;
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
