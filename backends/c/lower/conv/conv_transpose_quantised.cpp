// ConvTranspose on TFLite's i8 and i16: channels last, filters [output channel][tap][input channel].
#include "backends/c/lower/conv/conv_transpose.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "backends/layers/in_place.hpp"
#include "byoc/nodes/quantised_layer.hpp"
#include "byoc/nodes/spatial.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

std::optional<Spatial> read_transposed_plane(const Region& region, const Node& node, std::string& why) {
  const std::optional<Spatial> s = read_spatial(region, node, false, why);
  if (!s) return std::nullopt;
  const Value& w = region.values[node.inputs[1]];
  if (!s->channels_last || node.text("filter_layout", "IOHW") != "OHWI" || s->rank != 2) {
    why = "found data_layout " + node.text("data_layout", "NCHW") + " and filter_layout " +
          node.text("filter_layout", "IOHW") + " with " + std::to_string(s->rank) +
          " spatial dims, expected NHWC and OHWI with 2";
    return std::nullopt;
  }
  if (node.integer("group", 1) != 1 || s->dilation != Dims3{1, 1, 1}) {
    why = "found groups or dilations, expected neither on quantised values";
    return std::nullopt;
  }
  constexpr std::int64_t kMostCounted = 0x7fffffff;  // the kernel's counters
  for (const std::size_t d : {std::size_t{1}, std::size_t{2}})
    if (s->kernel[d] + s->stride[d] > kMostCounted || s->out[d] + s->pad[d] > kMostCounted) {
      why = "found a kernel and a stride, or a size and a pad, of together 2^31 or more";
      return std::nullopt;
    }
  if (w.dims != std::vector<std::int64_t>{s->out_channels, s->kernel[1], s->kernel[2], s->in_channels}) {
    why = "found weights " + shape_text(w) + ", which do not fit";
    return std::nullopt;
  }
  return s;
}

// Null: there are several.
std::optional<std::int64_t> weight_zero(const Value& weights) {
  const auto& zeros = weights.quantisation.zero_points;
  if (zeros.empty()) return 0;
  const bool same = std::all_of(zeros.begin(), zeros.end(), [&](std::int64_t z) { return z == zeros[0]; });
  return same ? std::optional(zeros[0]) : std::nullopt;
}

}  // namespace

Verdict accepts_conv_transpose_quantised(const Region& region, const Node& node, const TargetSpec&) {
  if (region.requant != Requant::tflite)
    return refuse(Reason::unsupported_quantisation, "found a quantised model of ONNX, expected TFLite's");
  const QuantisedLayer layer = lifted_layer(region, node);
  for (const Value* v : {&layer.in, &layer.out})
    if (v->dtype != DType::i8 && v->dtype != DType::i16) return refuse_dtype(v->dtype, "i8 or i16");
  if (layer.in.dtype != layer.out.dtype) return refuse_dtype(layer.out.dtype, to_string(layer.in.dtype));
  const DType weights = region.values[node.inputs[1]].dtype;
  if (weights != DType::i8) return refuse_dtype(weights, "weights of i8");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  std::string why;
  const auto s = read_transposed_plane(region, node, why);
  if (!s) return refuse(Reason::unsupported_attribute, why);
  if (auto no = refuse_layer(region, layer, 0, s->out_channels)) return *no;
  if (!weight_zero(layer.weights))
    return refuse(Reason::unsupported_quantisation, "weights: found several zero points, expected one");
  if (!activation_clamp(region, node, layer.out))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return claim();
}

bool lower_conv_transpose_quantised(Emitter& emitter, const Node& node) {
  std::string why;
  const auto s = read_transposed_plane(emitter.region, node, why);
  if (!s) return emitter.error(node, why);
  const QuantisedLayer layer = lifted_layer(emitter.region, node);
  const DType type = layer.in.dtype, bias_type = layer.bias ? layer.bias->dtype : DType::i32;
  const std::string name = stem(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  step.nodes = {node_id(emitter, node)};
  Kernel kernel = requant_kernel(layer.scaling, "conv_transpose_q");
  kernel.symbol = "byoc_conv_transpose_q_" + std::string(to_string(type)) + (bias_type == DType::i64 ? "_b64" : "") +
                  std::string(requant_suffix(layer.scaling));
  kernel.defines["BYOC_ELEMENT"] = c_type(type);
  kernel.defines["BYOC_BIAS"] = c_type(bias_type);
  kernel.defines["BYOC_SUM"] = layer.scaling == Scaling::wide ? "uint64_t" : "uint32_t";
  if (const std::int64_t zero = weight_zero(layer.weights).value_or(0); zero != 0) {
    kernel.symbol += (zero < 0 ? "_below" : "_above") + std::to_string(std::abs(zero));
    kernel.defines["BYOC_WEIGHT_ZERO"] = std::to_string(zero);
  }
  step.kernel = emitter.kernel(kernel);

  step.inputs = {{layer.input}};
  const std::string weights = operand(emitter, step, layer.weights_id, name + "_weights");
  const std::string bias = layer.bias ? operand(emitter, step, layer.bias_id, name + "_bias") : "NULL";
  const Clamp clamp = activation_clamp(emitter.region, node, layer.out).value_or(Clamp{});
  ParameterText p;
  p.add("requant", emit_scales(emitter, layer.scaling, name, layer.in, layer.weights, layer.bias, layer.out, clamp,
                               s->out_channels));
  p.add("in_zero", affine(layer.in).zero).add("batch", s->batch);
  const auto three = [](std::int64_t a, std::int64_t b, std::int64_t c) {
    return std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(c);
  };
  const auto two = [](const Dims3& d) { return std::to_string(d[1]) + ", " + std::to_string(d[2]); };
  p.add("in_h, in_w, in_c", three(s->in[1], s->in[2], s->in_channels));
  p.add("out_h, out_w, out_c", three(s->out[1], s->out[2], s->out_channels));
  p.add("kernel", two(s->kernel)).add("stride", two(s->stride)).add("pad", two(s->pad));
  StepText text;
  text.includes = {"byoc_conv_transpose_q.h"};
  text.declarations.insert("BYOC_CONV_TRANSPOSE_Q(" + step.kernel + ", " + std::string(c_type(type)) + ", " +
                           std::string(c_type(bias_type)) + ");");
  text.parameters = {p.definition("byoc_conv_transpose_q_t", step.symbol + "_params")};
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, in0, " + weights + ", " + bias + ", out0);\n";
  step.outputs = {{layer.output}};
  if (const auto plane = without_depth(*s))
    if (const auto lead =
            transposed_lead(plane->in, plane->out, plane->window, Reads::while_writing, bit_width(type) / 8))
      step.overlays = {{0, 0, *lead}};
  step.macs = static_cast<std::uint64_t>(layer.in.elements() * s->out_channels * s->kernel_size());
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
