#include "backends/c/lower/pool/pool_any.hpp"

#include "backends/c/lower/conv/conv_any.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/reduce/many.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

bool is_max(const Node& node) { return node.op == "MaxPool" || node.op == "GlobalMaxPool"; }

bool has_indices(const Node& node) { return node.outputs.size() > 1 && node.outputs[1] != codegen::kNoValue; }

}  // namespace

codegen::Verdict accepts_pool_any(const Region& region, const Node& node, bool global) {
  const Value& x = region.values[node.inputs[0]];
  // The largest integer is the largest number, if both mean the same.
  if (x.quantised() && !(is_max(node) && x.quantisation == region.values[node.outputs[0]].quantisation))
    return refuse(Reason::unsupported_quantisation,
                  "found quantised " + std::string(to_string(x.dtype)) + ", expected a plain tensor");
  const bool is_byte = x.dtype == DType::i8 || x.dtype == DType::u8;
  if (!is_float_type(x.dtype) && !(is_max(node) && is_byte))
    return refuse_dtype(x.dtype, is_max(node) ? "f16, bf16, f32, f64, i8 or u8" : "f16, bf16, f32 or f64");
  if (!region.symbols.empty()) return refuse(Reason::unsupported_shape, "found dims that only a run knows, and no f32");
  if (const std::string activation = node.text("activation", "none"); activation != "none")
    return refuse(Reason::unsupported_attribute, "found activation " + activation + ", expected none");
  std::string why;
  if (!read_spatial(region, node, global, why)) return refuse(Reason::unsupported_attribute, why);
  if (has_indices(node) && node.text("data_layout", "NCHW") != "NCHW")
    return refuse(Reason::unsupported_attribute, "found indices of data_layout NHWC, expected NCHW");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_pool_any(Emitter& emitter, const Node& node, bool global) {
  std::string why;
  const auto s = read_spatial(emitter.region, node, global, why);
  if (!s) return emitter.error(node, why);
  const DType dtype = emitter.input(node, 0)->dtype;
  const bool indices = has_indices(node);
  Kernel kernel{"pool_any.c", "", {}};
  std::string what = "average_pool_any";
  if (is_max(node)) {
    what = indices ? "max_pool_index" : "max_pool_any";
    kernel.defines["BYOC_MAX"] = "1";
    if (indices) kernel.defines["BYOC_INDEX"] = "1";
  } else if (node.op == "LpPool" || node.op == "GlobalLpPool") {
    const std::string p = std::to_string(node.integer("p", 2));
    what = "lp_pool_" + p;
    kernel.defines["BYOC_LP"] = "1";
    kernel.defines["BYOC_P"] = p;
  } else {
    kernel.defines["BYOC_AVERAGE"] = "1";
  }
  kernel.symbol = typed_symbol(what, {dtype});
  define_element(kernel, "BYOC_X", dtype);
  define_arithmetic(kernel, dtype);
  if (!is_max(node)) sums_of(kernel, s->kernel[0] * s->kernel[1] * s->kernel[2]);
  const SpatialSteps x = spatial_steps(s->channels_last, s->in_channels, s->in);
  const SpatialSteps y = spatial_steps(s->channels_last, s->in_channels, s->out);
  ParameterText p;
  p.add("batch", s->batch).add("channels", s->in_channels).add("in", s->in).add("out", s->out);
  p.add("kernel", s->kernel).add("stride", s->stride).add("dilation", s->dilation);
  p.add("pad", s->pad).add("pad_end", s->pad_end);
  p.add("x_batch", x.batch).add("x_channel", x.channel).add("x_step", x.step);
  p.add("y_batch", y.batch).add("y_channel", y.channel).add("y_step", y.step);
  p.add("count_pads", node.integer("count_include_pad", 0) != 0 ? 1 : 0);
  TypedStep step(emitter, node);
  const std::string parameters = step.parameters(p, "byoc_pool_any_t");
  const std::string storage(c_type(dtype));
  if (!indices) {
    step.call(kernel, "byoc_pool_any.h", "BYOC_POOL_ANY", {storage}, {parameters, step.in(0), step.out(0)});
    return step.emit();
  }
  // Column-major: the first of the dims that the node has runs fastest.
  const bool columns = node.integer("storage_order", 0) != 0;
  const Dims3 places = columns ? Dims3{1, s->in[0], s->in[0] * s->in[1]} : x.step;
  const std::string value =
      "{" + std::to_string(places[0]) + ", " + std::to_string(places[1]) + ", " + std::to_string(places[2]) + "}";
  step.text.parameters.push_back({"int32_t", step.step.symbol + "_places", value, "[3]"});
  step.call(kernel, "byoc_pool_any.h", "BYOC_MAX_POOL_INDEX", {storage},
            {parameters, step.step.symbol + "_places", step.in(0), step.out(0), step.out(1)});
  return step.emit();
}

codegen::Verdict accepts_lp_pool(const Region& region, const Node& node, const TargetSpec&) {
  if (const std::int64_t p = node.integer("p", 2); p < 1)
    return refuse(Reason::unsupported_attribute, "found p " + std::to_string(p) + ", expected 1 or more");
  return accepts_pool_any(region, node, node.op == "GlobalLpPool");
}

bool lower_lp_pool(Emitter& emitter, const Node& node) {
  return lower_pool_any(emitter, node, node.op == "GlobalLpPool");
}

}  // namespace byoc::c
