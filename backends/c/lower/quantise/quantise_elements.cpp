#include "backends/c/lower/quantise/quantise_elements.hpp"

#include "backends/c/lower/quantise/axis_scales.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

void define_requant(const Region& region, Kernel& kernel) {
  kernel.symbol += requant_suffix(region);
  if (region.requant == Requant::onnx) kernel.defines["BYOC_REQUANT_ONNX"] = "1";
}

bool lower_elements(Emitter& emitter, const Node& node, const AxisScales& scales, const Kernel& kernel) {
  codegen::Step step;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  step.kernel = emitter.kernel(kernel);
  step.nodes = {node_id(emitter, node)};
  StepText text;
  text.includes = {"byoc_quantise.h"};
  text.parameters = {emit_axis_scales(emitter, name, step.symbol + "_params", scales)};
  const std::string x = operand(emitter, step, node.inputs[0], name + "_x");
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, " + x + ", out0);\n";
  step.outputs = {{node.outputs[0]}};
  emitter.step(node, std::move(step), text);
  return true;
}

// The kernel in vectors of four floats, for runs of one scale that are longer than that.
bool quantises_in_vectors(const Emitter& emitter, DType from, const AxisScales& scales) {
  return from == DType::f32 && emitter.target.has("mve.fp") && emitter.objective != Objective::size && scales.inner > 4;
}

std::optional<Verdict> refuse_sizes(const Region& region, const Node& node) {
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return std::nullopt;
}

}  // namespace

Verdict accepts_quantise(const Region& region, const Node& node, const Quantisation& q) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  const bool from_integers = x.dtype == DType::i32 && region.requant == Requant::onnx;
  if (x.dtype != DType::f32 && !from_integers) return refuse_dtype(x.dtype, "f32");
  if (y.dtype == DType::i32) return refuse_dtype(y.dtype, "i8, u8, i16 or u16");
  if (auto no = refuse_sizes(region, node)) return *no;
  Verdict why;
  return read_axis_scales(q, y.dtype, y.dims, why) ? claim() : why;
}

bool lower_quantise(Emitter& emitter, const Node& node, const Quantisation& q) {
  const DType from = emitter.input(node, 0)->dtype, to = emitter.value(node.outputs[0]).dtype;
  Verdict why;
  const auto scales = read_axis_scales(q, to, emitter.value(node.outputs[0]).dims, why);
  if (!scales) return emitter.error(node, why.text);
  const ElementRange range = *element_range(to);
  Kernel kernel{"quantise.c",
                "byoc_quantise_" + std::string(to_string(from)) + "_" + std::string(to_string(to)),
                {{"BYOC_FROM", std::string(c_type(from))},
                 {"BYOC_TO", std::string(c_type(to))},
                 {"BYOC_LOW", "(" + std::to_string(range.low) + ")"},
                 {"BYOC_HIGH", std::to_string(range.high)}}};
  if (quantises_in_vectors(emitter, from, *scales)) {
    kernel.file = "quantise_f32_mve.c";
    kernel.symbol += "_mve";
    kernel.defines.erase("BYOC_FROM");
    kernel.defines["BYOC_STORE"] = bit_width(to) == 8 ? "vstrbq_p_s32" : "vstrhq_p_s32";
  }
  define_requant(emitter.region, kernel);
  return lower_elements(emitter, node, *scales, kernel);
}

Verdict accepts_dequantise(const Region& region, const Node& node, const Quantisation& q) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (y.dtype != DType::f32) return refuse_dtype(y.dtype, "f32");
  if (auto no = refuse_sizes(region, node)) return *no;
  Verdict why;
  return read_axis_scales(q, x.dtype, x.dims, why) ? claim() : why;
}

bool lower_dequantise(Emitter& emitter, const Node& node, const Quantisation& q) {
  const Value& x = *emitter.input(node, 0);
  Verdict why;
  const auto scales = read_axis_scales(q, x.dtype, x.dims, why);
  if (!scales) return emitter.error(node, why.text);
  Kernel kernel{"dequantise.c",
                "byoc_dequantise_" + std::string(to_string(x.dtype)),
                {{"BYOC_FROM", std::string(c_type(x.dtype))}}};
  if (x.dtype == DType::i32) {
    kernel.defines["BYOC_FROM_WIDE"] = "1";
    define_requant(emitter.region, kernel);
  }
  return lower_elements(emitter, node, *scales, kernel);
}

}  // namespace byoc::c
