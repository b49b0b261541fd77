#include "backends/c/lower/pool/pool.hpp"

#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/pool/pool_any.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/reduce/many.hpp"
#include "backends/c/lower/step/extent.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "backends/layers/in_place.hpp"
#include "byoc/nodes/spatial.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_pool(const Region& region, const Node& node, bool global) {
  std::string why;
  const auto s = read_spatial(region, node, global, why);
  if (!s) return refuse(Reason::unsupported_attribute, why);
  if (s->in_channels < 0)
    return refuse(Reason::unsupported_shape, "found channels that only a run knows the number of");
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (node.outputs.size() > 1 && node.outputs[1] != codegen::kNoValue)
    return refuse(Reason::unsupported_attribute, "found a second output (indices), expected one");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

namespace {

// Kernels for channels last gather all channels of a pixel where they will be; others compute channel by channel.
std::optional<std::uint64_t> pool_lead(const Spatial& s, DType dtype) {
  const auto p = without_depth(s);
  if (!p) return std::nullopt;
  const auto bytes = static_cast<std::int64_t>(bit_width(dtype) / 8);
  return s.channels_last ? window_lead(p->in, p->out, p->window, Reads::while_writing, bytes)
                         : channel_lead(p->in, p->out, p->window, 1, bytes);
}

// All spatial dims of a value as one row.
Extents whole_image(const Value& x, bool channels_last) {
  Extents out{1, 1, 1};
  for (std::size_t d = 1; d < x.dims.size(); ++d)
    if (d != (channels_last ? x.dims.size() - 1 : 1)) out[2] *= extent(x.dims[d]);
  return out;
}

// Elements under a window.
Extent window_of(const Value& x, const Spatial& s, bool global) {
  if (global) return whole_image(x, s.channels_last)[2];
  return Extent(s.kernel[0]) * s.kernel[1] * s.kernel[2];
}

// The vectors of MVE by element type: the C type, the suffix of intrinsics, the comparison.
struct PoolVector {
  DType dtype;
  std::string_view type, suffix, greater;
};
constexpr PoolVector kPoolVectors[] = {{DType::f32, "float32x4_t", "_f32", "vcmpgtq"},
                                       {DType::i8, "int8x16_t", "_s8", "vcmpgtq"},
                                       {DType::u8, "uint8x16_t", "_u8", "vcmphiq"},
                                       {DType::i16, "int16x8_t", "_s16", "vcmpgtq"},
                                       {DType::u16, "uint16x8_t", "_u16", "vcmphiq"}};

// Makes `kernel`, of max_pool.c with channels last, the one in vectors.
void use_vectors(Kernel& kernel, DType dtype) {
  const auto* v = std::find_if(std::begin(kPoolVectors), std::end(kPoolVectors),
                               [&](const PoolVector& row) { return row.dtype == dtype; });
  kernel.file = "max_pool_mve.c";
  kernel.symbol += "_mve";
  kernel.defines.erase("BYOC_CHANNELS_LAST");
  kernel.defines["BYOC_VECTOR"] = v->type;
  kernel.defines["BYOC_LANES"] = std::to_string(128 / bit_width(dtype));
  kernel.defines["BYOC_SOME"] = "vctp" + std::to_string(bit_width(dtype)) + "q";
  kernel.defines["BYOC_GREATER"] = v->greater;
  kernel.defines["BYOC_SUFFIX"] = v->suffix;
}

bool pools_in_vectors(const Emitter& emitter, const PoolKernel& pool, const Spatial& s, DType dtype) {
  return pool.file == "max_pool.c" && s.channels_last && emitter.objective != Objective::size &&
         emitter.target.has(dtype == DType::f32 ? "mve.fp" : "mve");
}

}  // namespace

bool lower_pool(Emitter& emitter, const Node& node, bool global, const PoolKernel& pool) {
  std::string why;
  const auto s = read_spatial(emitter.region, node, global, why);
  if (!s) return emitter.error(node, why);
  const std::string name = stem(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  Kernel kernel{pool.file,
                "byoc_" + pool.what + (s->channels_last ? "_nhwc_" : "_nchw_") +
                    std::string(to_string(emitter.value(node.outputs[0]).dtype)),
                pool.defines};
  kernel.defines["BYOC_CHANNELS_LAST"] = s->channels_last ? "1" : "0";
  if (pool.file == "average_pool_f32.c") sums_of(kernel, window_of(*emitter.input(node, 0), *s, global));
  if (const DType dtype = emitter.value(node.outputs[0]).dtype; pools_in_vectors(emitter, pool, *s, dtype))
    use_vectors(kernel, dtype);
  step.kernel = emitter.kernel(kernel);
  const std::string x = operand(emitter, step, node.inputs[0], name + "_x");

  const Extents whole = whole_image(*emitter.input(node, 0), s->channels_last);
  ParameterText p;
  p.add("batch", extent(s->batch)).add("channels", s->in_channels);
  p.add("in", global ? whole : extents(s->in)).add("out", extents(s->out));
  p.add("kernel", global ? whole : extents(s->kernel)).add("stride", s->stride).add("dilation", s->dilation);
  p.add("pad", s->pad).add("pad_end", s->pad_end).add("count_pads", node.integer("count_include_pad", 0) != 0 ? 1 : 0);
  StepText text;
  text.includes = {"byoc_pool.h"};
  text.parameters = {p.definition("byoc_pool_t", step.symbol + "_params")};
  text.body =
      "  " + step.kernel + "(&" + step.symbol + "_params, " + x + ", out0, " + pool.lo + ", " + pool.hi + ");\n";
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  if (emitter.region.symbols.empty() && !step.inputs.empty())
    if (const auto lead = pool_lead(*s, emitter.value(node.outputs[0]).dtype)) step.overlays = {{0, 0, *lead}};
  emitter.step(node, std::move(step), text);
  return true;
}

codegen::Verdict accepts_average_pool_float(const Region& region, const Node& node, bool global) {
  if (!is_float(region, node)) return refuse_dtype(region.values[node.inputs[0]].dtype, "f32 or quantised values");
  return accepts_pool(region, node, global);
}

bool lower_average_pool_float(Emitter& emitter, const Node& node, bool global) {
  const Bounds bounds = activation_bounds(node).value_or(Bounds{});
  return lower_pool(emitter, node, global,
                    {"average_pool", "average_pool_f32.c", {}, c_bound(bounds.lo), c_bound(bounds.hi)});
}

namespace {

// Types that the fast kernels do not have, and the places of the results.
bool is_general_max_pool(const Region& region, const Node& node) {
  const Value& x = region.values[node.inputs[0]];
  const bool is_byte = x.dtype == DType::i8 || x.dtype == DType::u8;
  const bool is_quantised_short = (x.dtype == DType::i16 || x.dtype == DType::u16) && x.quantised();
  return (x.dtype != DType::f32 && !is_byte && !is_quantised_short) ||
         (node.outputs.size() > 1 && node.outputs[1] != codegen::kNoValue);
}

}  // namespace

codegen::Verdict accepts_l2_pool(const Region& region, const Node& node, const TargetSpec&) {
  if (!is_float(region, node)) return refuse_dtype(region.values[node.inputs[0]].dtype, "f32");
  return accepts_pool(region, node, false);
}

bool lower_l2_pool(Emitter& emitter, const Node& node) {
  const Bounds bounds = activation_bounds(node).value_or(Bounds{});
  return lower_pool(emitter, node, false,
                    {"l2_pool", "average_pool_f32.c", {{"BYOC_SQUARES", "1"}}, c_bound(bounds.lo), c_bound(bounds.hi)});
}

codegen::Verdict accepts_any_max_pool(const Region& region, const Node& node, bool global) {
  const codegen::Value& x = region.values[node.inputs[0]];
  const codegen::Value& y = region.values[node.outputs[0]];
  const bool tflite = region.requant == Requant::tflite && x.quantised() && y.quantised();
  if (is_general_max_pool(region, node)) return accepts_pool_any(region, node, global);
  // TFLite moves the integers; scales may differ by what its own check overlooks.
  if (tflite ? affine(x).zero != affine(y).zero : x.quantisation != y.quantisation)
    return refuse(Reason::unsupported_quantisation, "found different quantisations of input and output, expected one");
  if (x.quantised() && !activation_clamp(region, node, y))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return accepts_pool(region, node, global);
}

bool lower_any_max_pool(Emitter& emitter, const Node& node, bool global) {
  if (is_general_max_pool(emitter.region, node)) return lower_pool_any(emitter, node, global);
  const DType dtype = emitter.value(node.outputs[0]).dtype;
  PoolKernel pool{"max_pool", "max_pool.c", {{"BYOC_ELEMENT", std::string(c_type(dtype))}}, "", ""};
  if (dtype == DType::f32) {
    const Bounds bounds = activation_bounds(node).value_or(Bounds{});
    pool.defines["BYOC_LOWEST"] = "(-INFINITY)";
    pool.lo = c_bound(bounds.lo);
    pool.hi = c_bound(bounds.hi);
  } else {
    const codegen::Value& y = emitter.value(node.outputs[0]);
    Clamp clamp = dtype == DType::u8 ? Clamp{0, 255} : Clamp{};
    const bool is_unsigned = dtype == DType::u8 || dtype == DType::u16;
    pool.defines["BYOC_LOWEST"] = is_unsigned ? "0" : dtype == DType::i8 ? "(-128)" : "(-32768)";
    if (y.quantised()) clamp = activation_clamp(emitter.region, node, y).value_or(clamp);
    pool.lo = std::to_string(clamp.low);
    pool.hi = std::to_string(clamp.high);
  }
  return lower_pool(emitter, node, global, pool);
}

}  // namespace byoc::c
