// Softmax, LogSoftmax and Hardmax on floats.
#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/reduce/axis.hpp"
#include "backends/c/lower/reduce/many.hpp"
#include "backends/c/lower/step/element_type.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

// Before opset 13 the dims from the axis on are one, and the axis is 1 unless it is given.
bool flattens(const Node& node) { return node.version < 13; }
std::int64_t axis_of(const Node& node) { return node.integer("axis", flattens(node) ? 1 : -1); }

// Rows in the vectors of MVE, of no more elements than a plain sum is good for.
bool softmax_in_vectors(const Emitter& emitter, const Axis& axis) {
  Kernel kernel;
  sums_of(kernel, axis.count);
  return axis.inner.is_known() && axis.inner.known() == 1 && kernel.defines.empty() && emitter.target.has("mve.fp") &&
         emitter.objective != Objective::size;
}

// Applies a factor before the exponential, and computes fewer exponentials where results can hold them.
bool lower_f32(Emitter& emitter, const Node& node, const Axis& axis) {
  codegen::Step step;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  Kernel kernel{"softmax_f32.c", "byoc_softmax_f32", {}};
  sums_of(kernel, axis.count);
  if (softmax_in_vectors(emitter, axis)) kernel = {"softmax_f32_mve.c", "byoc_softmax_f32_mve", {}};
  if (node.op == "LogSoftmax") kernel = {"softmax_f32_mve.c", "byoc_log_softmax_f32_mve", {{"BYOC_LOG", "1"}}};
  step.kernel = emitter.kernel(kernel);
  const std::string from = operand(emitter, step, node.inputs[0], name + "_x");
  StepText text;
  text.includes = {"byoc_softmax_f32.h"};
  text.body = "  " + step.kernel + "(" + axis.outer.text() + ", " + axis.count.text() + ", " + axis.inner.text() +
              ", " + c_bound(node.real("beta", 1.0f)) + ", " + from + ", out0);\n";
  step.outputs = {{node.outputs[0]}};
  if (!step.inputs.empty()) step.overlays = {{.output = 0, .input = 0}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace

codegen::Verdict accepts_softmax_float(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  if (!is_float_type(x.dtype)) return refuse_dtype(x.dtype, "f16, bf16, f32, f64 or quantised values");
  if (auto no = refuse_axis(x, axis_of(node)); no && !(x.dims.empty() && axis_of(node) == 1)) return *no;
  if (node.real("beta", 1.0f) != 1.0f && (x.dtype != DType::f32 || node.op != "Softmax"))
    return refuse(codegen::Reason::unsupported_attribute, "found beta on " + std::string(to_string(x.dtype)));
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_softmax_float(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const Axis axis = split_at(x, axis_of(node), flattens(node));
  if (x.dtype == DType::f32 && (node.op == "Softmax" || (node.op == "LogSoftmax" && softmax_in_vectors(emitter, axis))))
    return lower_f32(emitter, node, axis);
  const std::string type(to_string(x.dtype));
  Kernel kernel{"softmax.c", "byoc_softmax_" + type, {}};
  if (node.op == "LogSoftmax") {
    kernel.symbol = "byoc_log_softmax_" + type;
    kernel.defines["BYOC_LOG"] = "1";
  } else if (node.op == "Hardmax") {
    kernel.file = "hardmax.c";
    kernel.symbol = "byoc_hardmax_" + type;
    kernel.defines["BYOC_BETTER"] = "(v > best || (v != v && best == best))";
  }
  define_element(kernel, "BYOC_X", x.dtype);
  define_arithmetic(kernel, x.dtype);
  if (node.op != "Hardmax") sums_of(kernel, axis.count);
  return lower_along_axis(emitter, node, kernel, axis, true);
}

}  // namespace byoc::c
