// byoc.SVDF. The state becomes its successor in place where the host allows it.
#include <cmath>
#include <optional>
#include <vector>

#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/recurrent/stateful.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

enum : std::size_t { kSvdfInput, kFeature, kTime, kState, kBias };

tflite::SvdfParameters svdf_factors(const Region& region, const Node& node) {
  const auto scale = [&](codegen::ValueId v) { return affine(region.values[v]); };
  return tflite::svdf_parameters(scale(node.inputs[kSvdfInput]), scale(node.inputs[kFeature]),
                                 scale(node.inputs[kTime]), scale(node.inputs[kState]), scale(node.outputs[0]));
}

// "0", "1" and "2" of byoc_svdf_t, with the bounds of a clamp; null for another name.
struct SvdfActivation {
  std::int64_t kind;
  double low, high;
};
std::optional<SvdfActivation> activation_of(const Node& node) {
  const std::string name = node.text("activation", "none");
  if (name == "none") return SvdfActivation{0, 0, 0};
  if (name == "tanh") return SvdfActivation{2, 0, 0};
  if (name == "relu") return SvdfActivation{1, 0, HUGE_VAL};
  if (name == "relu6") return SvdfActivation{1, 0, 6};
  if (name == "relu_n1_to_1") return SvdfActivation{1, -1, 1};
  return std::nullopt;
}

codegen::Verdict accepts_svdf_integers(const Region& region, const Node& node) {
  if (region.requant != Requant::tflite)
    return refuse(Reason::unsupported_quantisation, "found a quantised model of ONNX, expected TFLite's");
  const auto value = [&](codegen::ValueId v) -> const Value& { return region.values[v]; };
  if (auto no = refuse_unless_s8(value(node.inputs[kSvdfInput]), "input")) return *no;
  if (auto no = refuse_unless_s8(value(node.inputs[kFeature]), "feature weights")) return *no;
  if (auto no = refuse_unless_s8(value(node.outputs[0]), "output")) return *no;
  for (const std::size_t i : {kState, kTime})
    if (auto no = refuse_unless_quantised(value(node.inputs[i]), i == kState ? "state" : "time weights")) return *no;
  const DType state = value(node.inputs[kState]).dtype;
  if (state != DType::i8 && state != DType::i16) return refuse_dtype(state, "a state of i8 or i16");
  if (value(node.inputs[kTime]).dtype != state)
    return refuse_dtype(value(node.inputs[kTime]).dtype, "the state's type");
  const tflite::SvdfParameters f = svdf_factors(region, node);
  if (f.to_state.shift > 30 || f.to_y.shift > 30)
    return refuse(Reason::unsupported_quantisation, "found a factor of 2^30 or more between scales");
  return claim();
}

}  // namespace

codegen::Verdict accepts_svdf(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[kSvdfInput]];
  if (!all_outputs_wanted(node)) return refuse(Reason::unsupported_attribute, "found an output that is not wanted");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  if (const Value* bias = given_input(region, node, kBias);
      bias && bias->dtype != (x.quantised() ? DType::i32 : x.dtype))
    return refuse_dtype(bias->dtype, x.quantised() ? "i32" : "the input's type");
  if (x.quantised()) return accepts_svdf_integers(region, node);
  if (x.dtype != DType::f32) return refuse_dtype(x.dtype, "f32 or quantised i8");
  for (const std::size_t i : {kFeature, kTime, kState})
    if (region.values[node.inputs[i]].dtype != DType::f32)
      return refuse_dtype(region.values[node.inputs[i]].dtype, "f32");
  if (!activation_of(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return claim();
}

bool lower_svdf(Emitter& emitter, const Node& node) {
  const Value &x = *emitter.input(node, kSvdfInput), &feature = *emitter.input(node, kFeature);
  const Value &time = *emitter.input(node, kTime), &state = *emitter.input(node, kState);
  const std::int64_t rank = node.integer("rank", 1);
  ParameterText p;
  p.add("batch", x.dims[0]).add("depth", x.dims[1]).add("units", feature.dims[0] / rank).add("rank", rank);
  p.add("memory", time.dims[1]);
  Kernel kernel{"svdf_f32.c", "byoc_svdf_f32", {}};
  std::vector<std::string> types = {"float", "float", "float"};
  if (x.quantised()) {
    const tflite::SvdfParameters f = svdf_factors(emitter.region, node);
    p.add("x_zero", affine(x).zero).add("state_zero", affine(state).zero);
    p.add("y_zero", affine(emitter.value(node.outputs[0])).zero);
    p.add("to_state", f.to_state.q).add("to_state_shift", f.to_state.shift);
    p.add("to_y", f.to_y.q).add("to_y_shift", f.to_y.shift);
    p.add("activation", 0).add("low", "0.0f").add("high", "0.0f");
    const bool wide = state.dtype == DType::i16;
    types = {"int8_t", wide ? "int16_t" : "int8_t", "int32_t"};
    kernel = {"svdf_s8.c", wide ? "byoc_svdf_s8_state16" : "byoc_svdf_s8", {{"BYOC_STATE", types[1]}}};
    kernel.defines["BYOC_STATE_LOW"] = wide ? "(-32768)" : "(-128)";
    kernel.defines["BYOC_STATE_HIGH"] = wide ? "32767" : "127";
  } else {
    for (const char* unused : {"x_zero", "state_zero", "y_zero", "to_state", "to_state_shift", "to_y", "to_y_shift"})
      p.add(unused, 0);
    const SvdfActivation a = *activation_of(node);
    p.add("activation", a.kind).add("low", c_literal(DType::f32, a.low)).add("high", c_literal(DType::f32, a.high));
  }
  TypedStep s(emitter, node);
  const std::string parameters = s.parameters(p, "byoc_svdf_t");
  const std::string before = s.in(kState), after = s.out(1);
  s.call(kernel, "byoc_svdf.h", "BYOC_SVDF", types,
         {parameters, s.in(kSvdfInput), s.in(kFeature), s.in(kTime), before, s.in(kBias), s.out(0), after});
  overlay_state(s, before, after);
  s.step.macs = static_cast<std::uint64_t>(x.dims[0] * feature.dims[0] * (x.dims[1] + time.dims[1]));
  return s.emit();
}

}  // namespace byoc::c
