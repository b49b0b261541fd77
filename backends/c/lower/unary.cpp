// The operators that are one C expression of an element. Definitions as in the ONNX operator documentation.
#include "backends/c/lower/unary.hpp"

#include <algorithm>

#include "backends/c/lower/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;

// a and b are the attributes alpha and beta with these defaults.
struct Simple {
  std::string_view op;
  UnaryFunction function;
};

constexpr Simple kSimple[] = {
    {"Abs", {"byoc_abs_f32", "fabsf(v)"}},
    {"Ceil", {"byoc_ceil_f32", "ceilf(v)"}},
    {"Cos", {"byoc_cos_f32", "cosf(v)"}},
    {"Elu", {"byoc_elu_f32", "(v < 0.0f ? a * expm1f(v) : v)", 1.0f}},
    {"Erf", {"byoc_erf_f32", "erff(v)"}},
    {"Exp", {"byoc_exp_f32", "expf(v)"}},
    {"Floor", {"byoc_floor_f32", "floorf(v)"}},
    {"HardSigmoid", {"byoc_hard_sigmoid_f32", "fmaxf(0.0f, fminf(1.0f, a * v + b))", 0.2f, 0.5f}},
    {"HardSwish", {"byoc_hard_swish_f32", "(v * fmaxf(0.0f, fminf(1.0f, v / 6.0f + 0.5f)))"}},
    {"LeakyRelu", {"byoc_leaky_relu_f32", "(v < 0.0f ? a * v : v)", 0.01f}},
    {"Log", {"byoc_log_f32", "logf(v)"}},
    {"Neg", {"byoc_neg_f32", "(-v)"}},
    {"Reciprocal", {"byoc_reciprocal_f32", "(1.0f / v)"}},
    {"Sigmoid", {"byoc_sigmoid_f32", "(1.0f / (1.0f + expf(-v)))"}},
    {"Sin", {"byoc_sin_f32", "sinf(v)"}},
    {"Softplus", {"byoc_softplus_f32", "(fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v))))"}},
    {"Sqrt", {"byoc_sqrt_f32", "sqrtf(v)"}},
    {"Tanh", {"byoc_tanh_f32", "tanhf(v)"}},
};

}  // namespace

codegen::Verdict accepts_unary_float(const Region& region, const Node& node, const TargetSpec&) {
  if (!is_float(region, node)) return refuse_dtype(region.values[node.inputs[0]].dtype, "f32");
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_unary_float(Emitter& emitter, const Node& node, const UnaryFunction& f) {
  codegen::Step step;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  step.kernel = emitter.kernel({"unary_f32.c", std::string(f.symbol), {{"BYOC_FUNCTION", std::string(f.function)}}});
  const std::string x = operand(emitter, step, node.inputs[0], name + "_x");
  StepText text;
  text.includes = {"byoc_unary_f32.h", "<math.h>"};
  text.body = "  " + step.kernel + "(" + std::to_string(emitter.value(node.outputs[0]).elements()) + ", " + x +
              ", out0, " + c_bound(f.a) + ", " + c_bound(f.b) + ");\n";
  step.outputs = {{node.outputs[0]}};
  if (!step.inputs.empty()) step.overlays = {{.output = 0, .input = 0}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

codegen::Verdict accepts_unary(const Region& region, const Node& node, const TargetSpec& target) {
  return accepts_unary_float(region, node, target);
}

bool lower_unary(Emitter& emitter, const Node& node) {
  const auto* simple =
      std::find_if(std::begin(kSimple), std::end(kSimple), [&](const Simple& s) { return s.op == node.op; });
  if (simple == std::end(kSimple)) return emitter.error(node, "is not a function of one element");
  UnaryFunction f = simple->function;
  f.a = node.real("alpha", f.a);
  f.b = node.real("beta", f.b);
  return lower_unary_float(emitter, node, f);
}

}  // namespace byoc::c
