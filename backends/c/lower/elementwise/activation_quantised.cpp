#include "backends/c/lower/elementwise/activation_quantised.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "backends/c/lower/elementwise/lookup_quantised.hpp"
#include "backends/c/lower/quantise/axis_scales.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

using RealFunction = std::function<std::int64_t(std::int32_t)>;

struct TabledActivation {
  std::string_view op;
  RealFunction (*table)(const Affine& in, const Affine& out);
  Affine out8{.scale = 0};  // of an 8-bit output; a scale of 0: any
  bool has_s16 = false;     // for int16, with output scale 1/32768
};

constexpr TabledActivation kActivations[] = {
    {"Elu",
     [](const Affine& in, const Affine& out) -> RealFunction {
       return [=](std::int32_t q) { return tflite::elu(q, in, out); };
     }},
    {"HardSwish", [](const Affine& in, const Affine& out) -> RealFunction { return tflite::HardSwish(in, out); }},
    {"Sigmoid", [](const Affine& in, const Affine&) -> RealFunction { return tflite::Curve::logistic(in); },
     tflite::kLogisticOutput, true},
    {"Tanh", [](const Affine& in, const Affine&) -> RealFunction { return tflite::Curve::tanh(in); },
     tflite::kTanhOutput, true},
};

const TabledActivation* find_activation(std::string_view op) {
  const auto* it = std::find_if(std::begin(kActivations), std::end(kActivations),
                                [&](const TabledActivation& a) { return a.op == op; });
  return it == std::end(kActivations) ? nullptr : it;
}

bool near(float found, float expected) { return std::abs(found - expected) <= expected * 1e-3F; }

Verdict refuse_output(const Value& y, const char* expected) {
  return refuse(Reason::unsupported_quantisation, "found output scale " + std::to_string(affine(y).scale) +
                                                      " and zero point " + std::to_string(affine(y).zero) +
                                                      ", expected " + expected);
}

// The input's integers in steps of 1 / (3 * 4096): (x * multiplier + half) >> shift.
struct TableScale {
  std::int64_t multiplier = 0;
  int shift = 0;
};

TableScale table_scale(bool is_tanh, float scale) {
  const float log = std::log(scale) * (1.0F / std::log(2.0F));
  const float whole = std::round(log);
  if (std::abs(log - whole) < 1e-3F) {
    const int left = static_cast<int>(whole) + 12;
    if (left == 0 || (is_tanh && left == 1)) return {std::int64_t{3} << left, 0};
  }
  TableScale out;
  double m = static_cast<double>(scale) * 4096.0 * 3.0;
  for (; m <= 32767.0 / 2 && out.shift <= 30; ++out.shift) m *= 2;
  out.multiplier = static_cast<std::int64_t>(std::min(m, 2147483647.0));
  return out;
}

bool lower_s16(Emitter& emitter, const Node& node) {
  const bool is_tanh = node.op == "Tanh";
  const Value& x = *emitter.input(node, 0);
  const TableScale scale = table_scale(is_tanh, affine(x).scale);
  codegen::Step step;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  Kernel kernel{"sigmoid_s16.c", is_tanh ? "byoc_tanh_s16" : "byoc_sigmoid_s16", {}};
  if (is_tanh) kernel.defines["BYOC_TANH"] = "1";
  step.kernel = emitter.kernel(kernel);
  const auto table = sigmoid_table();
  StepText text;
  text.includes = {"byoc_sigmoid_s16.h"};
  const std::string in = operand(emitter, step, node.inputs[0], name + "_x");
  text.parameters = {ParameterText()
                         .add("count", x.elements())
                         .add("multiplier", scale.multiplier)
                         .add("shift", scale.shift)
                         .add("table", emitter.constant<std::uint16_t>("sigmoid_table", table, false))
                         .definition("byoc_sigmoid_s16_t", step.symbol + "_params")};
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, " + in + ", out0);\n";
  step.outputs = {{node.outputs[0]}};
  if (!x.is_constant) step.overlays = {{.output = 0, .input = 0}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace

bool is_activation(const Node& node) { return node.domain.empty() && find_activation(node.op) != nullptr; }

Verdict accepts_activation_quantised(const Region& region, const Node& node) {
  const TabledActivation& a = *find_activation(node.op);
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (region.requant != Requant::tflite)
    return refuse(Reason::unsupported_quantisation, "found a quantised " + node.op + " of ONNX, expected TFLite's");
  if (a.has_s16 && x.dtype == DType::i16 && y.dtype == DType::i16) {
    Verdict why;
    for (const Value* v : {&x, &y}) {
      const auto scales = read_axis_scales(v->quantisation, v->dtype, v->dims, why);
      if (!scales) return why;
      if (scales->scales.size() != 1 || scales->zeros[0] != 0)
        return refuse(Reason::unsupported_quantisation, "found scales per axis or a zero point, expected one scale");
    }
    if (!near(affine(y).scale, 1.0F / 32768)) return refuse_output(y, "1/32768 and 0");
    if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
    return claim();
  }
  if (auto no = refuse_unless_s8(x, "input")) return *no;
  if (auto no = refuse_unless_s8(y, "output")) return *no;
  if (a.out8.scale != 0 && (!near(affine(y).scale, a.out8.scale) || affine(y).zero != a.out8.zero))
    return refuse_output(y, node.op == "Tanh" ? "1/128 and 0" : "1/256 and -128");
  if (node.op == "Elu" && node.real("alpha", 1.0F) != 1.0F)
    return refuse(Reason::unsupported_attribute,
                  "found alpha " + std::to_string(node.real("alpha", 1)) + ", expected 1");
  if (node.op == "HardSwish" && !((1.0F / 128.0F) * affine(x).scale / affine(y).scale < 1.0F))
    return refuse(Reason::unsupported_quantisation, "found an output scale below 1/128 of the input's");
  return claim();
}

bool lower_activation_quantised(Emitter& emitter, const Node& node) {
  if (emitter.input(node, 0)->dtype == DType::i16) return lower_s16(emitter, node);
  return lower_lookup(
      emitter, node,
      find_activation(node.op)->table(affine(*emitter.input(node, 0)), affine(emitter.value(node.outputs[0]))));
}

}  // namespace byoc::c
