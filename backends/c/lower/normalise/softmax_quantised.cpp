// Softmax and LogSoftmax on i8 and i16 with TFLite's arithmetic, over the last axis.
#include <algorithm>
#include <cmath>

#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/quantise/axis_scales.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

namespace {

// One form of the operator: its kernel, and the output quantisation that upstream fixes.
struct Form {
  std::string_view op;
  DType from, to;
  float scale;
  std::int32_t zero;
  const char* expected;
  const char* kernel;
};

constexpr Form kForms[] = {
    {"Softmax", DType::i8, DType::i8, 1.0F / 256, -128, "1/256 and -128", "byoc_softmax_s8"},
    {"Softmax", DType::i8, DType::i16, 1.0F / 65536, -32768, "1/65536 and -32768", "byoc_softmax_s8_s16"},
    {"Softmax", DType::i16, DType::i16, 1.0F / 32768, 0, "1/32768 and 0", "byoc_softmax_s16"},
    {"LogSoftmax", DType::i8, DType::i8, 16.0F / 256, 127, "1/16 and 127", "byoc_log_softmax_s8"},
};

const Form* find_form(const Node& node, const Value& x, const Value& y) {
  const auto* it = std::find_if(std::begin(kForms), std::end(kForms),
                                [&](const Form& f) { return f.op == node.op && f.from == x.dtype && f.to == y.dtype; });
  return it == std::end(kForms) ? nullptr : it;
}

Definition params_s8(const Node& node, const Value& x, const std::string& name) {
  const tflite::SoftmaxParameters p = tflite::softmax_parameters(affine(x), node.real("beta", 1));
  return ParameterText()
      .add("rows", x.elements() / x.dims.back())
      .add("depth", x.dims.back())
      .add("multiplier", p.input.q)
      .add("left_shift", p.input.shift)
      .add("least", p.diff_min)
      .add("reverse_multiplier", p.reverse.q)
      .add("reverse_shift", p.reverse.shift)
      .definition("byoc_softmax_s8_t", name);
}

Definition params_s16(Emitter& emitter, const Node& node, const Value& x, const std::string& name) {
  const Multiplier m = tflite::softmax_s16_multiplier(affine(x), node.real("beta", 1));
  const auto exponential = table_s16([](float v) { return std::exp(v); }, -10, 0);
  const auto reciprocal = table_s16([](float v) { return 1 / (1 + v); }, 0, 1);
  return ParameterText()
      .add("rows", x.elements() / x.dims.back())
      .add("depth", x.dims.back())
      .add("multiplier", m.q)
      .add("shift", m.shift)
      .add("exponential", emitter.constant<std::int16_t>("exponential_table", exponential, false))
      .add("reciprocal_of_one_plus", emitter.constant<std::int16_t>("reciprocal_table", reciprocal, false))
      .definition("byoc_softmax_s16_t", name);
}

}  // namespace

Verdict accepts_softmax_quantised(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (region.requant != Requant::tflite)
    return refuse(Reason::unsupported_quantisation, "found a quantised softmax of ONNX, expected TFLite's");
  const Form* form = find_form(node, x, y);
  if (form == nullptr)
    return refuse(Reason::unsupported_dtype, "found " + std::string(to_string(x.dtype)) + " to " +
                                                 std::string(to_string(y.dtype)) +
                                                 ", expected i8 to i8, i8 to i16 or i16 to i16 (LogSoftmax: i8)");
  Verdict why;
  for (const Value* v : {&x, &y}) {
    const auto scales = read_axis_scales(v->quantisation, v->dtype, v->dims, why);
    if (!scales) return why;
    if (scales->scales.size() != 1)
      return refuse(Reason::unsupported_quantisation, "found scales per axis, expected one");
  }
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  const std::int64_t axis = node.integer("axis", -1);
  if (rank == 0 || (axis != -1 && axis != rank - 1))
    return refuse(Reason::unsupported_attribute, "found axis " + std::to_string(axis) + ", expected the last");
  if (std::abs(affine(y).scale - form->scale) > form->scale * 1e-3F || affine(y).zero != form->zero)
    return refuse(Reason::unsupported_quantisation, "found output scale " + std::to_string(affine(y).scale) +
                                                        " and zero point " + std::to_string(affine(y).zero) +
                                                        ", expected " + form->expected);
  if (!(node.real("beta", 1) > 0))
    return refuse(Reason::unsupported_attribute, "found beta " + std::to_string(node.real("beta", 1)));
  // The reference shifts left by this.
  if (x.dtype == DType::i8 &&
      tflite::softmax_parameters(affine(x), node.real("beta", 1)).input.shift < (node.op == "LogSoftmax" ? 1 : 0))
    return refuse(Reason::unsupported_quantisation, "found an input scale times beta below 2^-27");
  if (x.dtype == DType::i16 && x.dims.back() > 65536)
    return refuse(Reason::unsupported_shape,
                  "found a row of " + std::to_string(x.dims.back()) + ", expected at most 65536");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

std::vector<KernelOption> softmax_options(const LayerQuestion& q, const Node& node) {
  const Value& x = q.region.values[node.inputs[0]];
  const Form* form = x.quantised() ? find_form(node, x, q.region.values[node.outputs[0]]) : nullptr;
  if (form == nullptr || x.elements() == 0) return {};
  KernelOption o;
  o.kernel = std::string(form->kernel).substr(std::string_view("byoc_").size());
  o.work.results = static_cast<double>(x.elements());
  o.work.rows = o.work.results / static_cast<double>(x.dims.back());
  return {o};
}

bool lower_softmax_quantised(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const Form& form = *find_form(node, x, emitter.value(node.outputs[0]));
  codegen::Step step;
  step.nodes = {node_id(emitter, node)};
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  const bool is_s16 = x.dtype == DType::i16;
  Kernel kernel{is_s16                    ? "softmax_s16.c"
                : node.op == "LogSoftmax" ? "log_softmax_s8.c"
                                          : "softmax_s8.c",
                form.kernel,
                {}};
  if (!is_s16 && form.to == DType::i16) kernel.defines["BYOC_WIDE"] = "1";
  step.kernel = emitter.kernel(kernel);
  const std::string from = operand(emitter, step, node.inputs[0], name + "_x");
  step.outputs = {{node.outputs[0]}};
  StepText text;
  text.includes = {is_s16 ? "byoc_softmax_s16.h" : "byoc_softmax_s8.h"};
  const std::string params = step.symbol + "_params";
  if (x.elements() != 0) {
    text.parameters = {is_s16 ? params_s16(emitter, node, x, params) : params_s8(node, x, params)};
    text.body = "  " + step.kernel + "(&" + params + ", " + from + ", out0);\n";
  } else {
    for (const char* unused : {"in0", "out0"}) text.body += std::string("  (void)") + unused + ";\n";
  }
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
