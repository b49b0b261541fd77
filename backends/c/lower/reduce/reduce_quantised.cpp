// ONNX: dequantised, folded in float, quantised. TFLite: folded in 32 bits, the mean's count inside the multiplier.
#include "backends/c/lower/reduce/reduce_quantised.hpp"

#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/quantise/axis_scales.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/reduce/many.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

const Value& x_of(const Region& region, const Node& node) { return region.values[node.inputs[0]]; }
const Value& y_of(const Region& region, const Node& node) { return region.values[node.outputs[0]]; }

bool compares(const Node& node) { return node.op == "ReduceMax" || node.op == "ReduceMin"; }

}  // namespace

bool reduction_has_scales(const Region& region, const Node& node) {
  return x_of(region, node).quantised() && !compares(node);
}

std::optional<codegen::Verdict> refuse_quantised_reduction(const Region& region, const Node& node) {
  const Value& x = x_of(region, node);
  const Value& y = y_of(region, node);
  if (auto no = refuse_unless_quantised(x, "input")) return *no;
  if (auto no = refuse_unless_quantised(y, "output")) return *no;
  if (x.dtype != y.dtype) return refuse_dtype(y.dtype, to_string(x.dtype));
  if (compares(node)) {
    if (x.quantisation == y.quantisation) return std::nullopt;
    return refuse(Reason::unsupported_quantisation, "found another scale of the result, expected that of the input");
  }
  const bool is_tflite = region.requant == Requant::tflite;
  if (node.op != "ReduceMean" && !(is_tflite && node.op == "ReduceSum"))
    return refuse(Reason::unsupported_quantisation,
                  "found quantised " + std::string(to_string(x.dtype)) + ", expected a plain tensor");
  if (!is_tflite) return refuse_unless_8bit(x, "input");
  if (const Multiplier m = tflite::rescale_multiplier(affine(x), affine(y)); m.shift > 30)
    return refuse(Reason::unsupported_quantisation,
                  "found an output multiplier of 2^" + std::to_string(m.shift) + ", expected at most 2^30");
  return std::nullopt;
}

std::string_view quantised_reduction_form(const Region& region) {
  return region.requant == Requant::tflite ? "reduce_q" : "reduce_q8";
}

Kernel quantised_reduction(const Region& region, const Node& node, std::int64_t count) {
  const DType t = x_of(region, node).dtype;
  Kernel kernel{"reduce.c", {}, {{"BYOC_X", std::string(c_type(t))}, {"BYOC_INITIAL", "0"}}};
  if (region.requant == Requant::tflite) {
    kernel.symbol = "byoc_reduce_sum_q_" + std::string(to_string(t));
    kernel.defines.insert({{"BYOC_REQUANTISED", "1"},
                           {"BYOC_X_WORK", "BYOC_X"},
                           {"BYOC_X_LOAD(v)", "(v)"},
                           {"BYOC_X_STORE(v)", "((BYOC_X)(v))"},
                           {"BYOC_SUM", "uint32_t"},
                           {"BYOC_STEP", "(uint32_t)(sum + (uint32_t)v)"},
                           {"BYOC_RESULT", "byoc_requantise_fold(p, sum)"}});
    return kernel;
  }
  kernel.symbol = "byoc_reduce_mean_q8_" + std::string(to_string(t));
  kernel.defines.insert(
      {{"BYOC_QUANTISED", "1"},
       {"BYOC_X_WORK", "float"},
       {"BYOC_X_LOAD(v)", "((float)((v) - p->in_zero) * p->in_scale)"},
       {"BYOC_X_STORE(v)", "((BYOC_X)byoc_quantised((v), p->out_scale, p->out_zero, p->min, p->max))"},
       {"BYOC_SUM", "float"},
       {"BYOC_STEP", "sum + v"},
       {"BYOC_RESULT", "(sum / (float)p->count)"}});
  sums_of(kernel, count);
  return kernel;
}

void add_reduction_scales(ParameterText& p, const Region& region, const Node& node, std::int64_t count) {
  const Value& x = x_of(region, node);
  const Value& y = y_of(region, node);
  const ElementRange range = *element_range(y.dtype);
  if (region.requant == Requant::tflite) {
    const Multiplier m = tflite::mean_multiplier(affine(x), affine(y), node.op == "ReduceMean" ? count : 0);
    const std::int64_t zeros = affine(x).zero * count;
    p.add("zeros", std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(zeros))});
    p.add("multiplier", m.q).add("shift", m.shift).add("zero", std::int64_t{affine(y).zero});
  } else {
    p.add("in_scale", c_bound(affine(x).scale)).add("out_scale", c_bound(affine(y).scale));
    p.add("in_zero", std::int64_t{affine(x).zero}).add("out_zero", std::int64_t{affine(y).zero});
  }
  p.add("min", range.low).add("max", range.high);
}

}  // namespace byoc::c
