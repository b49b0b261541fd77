#include "backends/c/lower/conv/conv_any.hpp"

#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/quantise/axis_scales.hpp"
#include "backends/c/lower/quantise/scale_operands.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/layers/in_place.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

bool is_byte(DType t) { return t == DType::i8 || t == DType::u8; }

// The kernel computes group by group, and each result of all channels of its group.
void overlay_image(TypedStep& s, const Emitter& emitter, const Node& node, const SpatialConvolution& c) {
  const DType dtype = emitter.value(node.inputs[0]).dtype;
  const auto p = without_depth(c.spatial);
  if (!p || !emitter.region.symbols.empty() || s.in(0) != "in0" || emitter.value(node.outputs[0]).dtype != dtype)
    return;
  const Reads reads = c.group_out() == 1 ? Reads::before_writing : Reads::while_writing;
  if (const auto lead = group_lead(p->in, p->out, p->window, c.groups, reads, bit_width(dtype) / 8))
    s.step.overlays = {{0, 0, *lead}};
}

}  // namespace

ParameterText conv_any_parameters(const SpatialConvolution& c) {
  const Spatial& s = c.spatial;
  const SpatialSteps x = spatial_steps(s.channels_last, s.in_channels, s.in);
  const SpatialSteps y = spatial_steps(s.channels_last, s.out_channels, s.out);
  ParameterText p;
  p.add("batch", s.batch).add("groups", c.groups);
  p.add("in_channels", c.group_in()).add("out_channels", c.group_out());
  p.add("in", s.in).add("out", s.out).add("kernel", s.kernel);
  p.add("stride", s.stride).add("dilation", s.dilation).add("pad", s.pad);
  p.add("x_batch", x.batch).add("x_channel", x.channel).add("x_step", x.step);
  p.add("y_batch", y.batch).add("y_channel", y.channel).add("y_step", y.step);
  p.add("w_out", c.w_out).add("w_in", c.w_in).add("w_step", c.w_step);
  return p;
}

Verdict accepts_conv_real(const Region& region, const Node& node) {
  if (auto no = refuse_unless_real(region, node)) return *no;
  const DType dtype = region.values[node.inputs[0]].dtype;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
    if (const Value* v = given_input(region, node, i); v && v->dtype != dtype)
      return refuse_dtype(v->dtype, std::string(to_string(dtype)) + ", as the input is");
  std::string why;
  const auto c = read_spatial_convolution(region, node, 1, why);
  if (!c) return refuse(Reason::unsupported_attribute, why);
  if (const Value* bias = given_input(region, node, 2); bias && bias->elements() != c->spatial.out_channels)
    return refuse(Reason::unsupported_shape,
                  "found a bias " + shape_text(*bias) + ", expected [" + std::to_string(c->spatial.out_channels) + "]");
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return claim();
}

bool lower_conv_real(Emitter& emitter, const Node& node) {
  std::string why;
  const auto c = read_spatial_convolution(emitter.region, node, 1, why);
  if (!c) return emitter.error(node, why);
  const DType dtype = emitter.input(node, 0)->dtype;
  Kernel kernel{"conv_any.c", typed_symbol("conv_any", {dtype}), {{"BYOC_REAL", "1"}}};
  define_element(kernel, "BYOC_X", dtype);
  define_arithmetic(kernel, dtype);
  TypedStep s(emitter, node);
  const Clamped clamped = fuse_clamp(emitter, node);
  const std::string p = s.parameters(conv_any_parameters(*c), "byoc_conv_any_t");
  s.call(kernel, "byoc_conv_any.h", "BYOC_CONV_REAL",
         {std::string(c_type(dtype)), std::string(element_type(dtype)->work)},
         {p, s.in(0), s.in(1), s.in(2), "out0", c_literal(dtype, static_cast<double>(clamped.bounds.lo)),
          c_literal(dtype, static_cast<double>(clamped.bounds.hi))});
  s.step.outputs = {{clamped.output}};
  s.step.nodes = clamped.nodes;
  s.step.macs = c->macs();
  overlay_image(s, emitter, node, *c);
  return s.emit();
}

Verdict accepts_conv_integer(const Region& region, const Node& node, const TargetSpec&) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (!is_byte(region.values[node.inputs[i]].dtype))
      return refuse_dtype(region.values[node.inputs[i]].dtype, "i8 or u8");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  std::string why;
  if (!read_spatial_convolution(region, node, 1, why)) return refuse(Reason::unsupported_attribute, why);
  return claim();
}

bool lower_conv_integer(Emitter& emitter, const Node& node) {
  std::string why;
  const auto c = read_spatial_convolution(emitter.region, node, 1, why);
  if (!c) return emitter.error(node, why);
  const DType x = emitter.input(node, 0)->dtype, w = emitter.input(node, 1)->dtype;
  Kernel kernel{"conv_any.c", typed_symbol("conv_integer", {x, w}), {{"BYOC_INTEGER", "1"}}};
  define_element(kernel, "BYOC_X", x);
  define_element(kernel, "BYOC_W", w);
  define_arithmetic(kernel, DType::i32);
  TypedStep s(emitter, node);
  const std::string p = s.parameters(conv_any_parameters(*c), "byoc_conv_any_t");
  const Value* zero = emitter.input(node, 3);
  s.call(kernel, "byoc_conv_any.h", "BYOC_CONV_INTEGER", {std::string(c_type(x)), std::string(c_type(w))},
         {p, s.in(0), s.in(1), s.in(2), s.in(3), zero && zero->elements() != 1 ? "1" : "0", s.out(0)});
  s.step.macs = c->macs();
  return s.emit();
}

Verdict accepts_qlinear_conv_any(const Region& region, const Node& node) {
  if (auto no = refuse_qlinear_types(region, node)) return *no;
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  std::string why;
  const auto c = read_spatial_convolution(region, node, 3, why);
  if (!c) return refuse(Reason::unsupported_attribute, why);
  for (const std::size_t i :
       {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{5}, std::size_t{6}, std::size_t{7}}) {
    const std::int64_t count = region.values[node.inputs[i]].elements();
    if (count != 1 && !((i == 4 || i == 5) && count == c->spatial.out_channels))
      return refuse(Reason::unsupported_shape, "input " + std::to_string(i) + ": found " +
                                                   shape_text(region.values[node.inputs[i]]) +
                                                   ", expected one element");
  }
  return claim();
}

bool lower_qlinear_conv_any(Emitter& emitter, const Node& node) {
  std::string why;
  const auto c = read_spatial_convolution(emitter.region, node, 3, why);
  if (!c) return emitter.error(node, why);
  const DType x = emitter.input(node, 0)->dtype, w = emitter.input(node, 3)->dtype;
  const DType y = emitter.value(node.outputs[0]).dtype;
  const DType bias = emitter.input(node, 8) ? emitter.input(node, 8)->dtype : DType::i32;
  const ElementRange range = *element_range(y);
  Kernel kernel{"conv_any.c",
                typed_symbol("qlinear_conv_any", {x, w, y, bias}),
                {{"BYOC_QLINEAR", "1"},
                 {"BYOC_BIAS", std::string(c_type(bias))},
                 {"BYOC_LOW", "(" + std::to_string(range.low) + ")"},
                 {"BYOC_HIGH", std::to_string(range.high)}}};
  define_element(kernel, "BYOC_X", x);
  define_element(kernel, "BYOC_W", w);
  define_element(kernel, "BYOC_Y", y);
  define_arithmetic(kernel, DType::i32);
  TypedStep s(emitter, node);
  const std::string p = s.parameters(conv_any_parameters(*c), "byoc_conv_any_t");
  const auto step = [&](std::size_t i) { return emitter.input(node, i)->elements() == 1 ? 0 : 1; };
  const std::string steps = s.parameters(ParameterText().add("w_scale_step", step(4)).add("w_zero_step", step(5)),
                                         "byoc_qlinear_steps_t", "steps");
  s.call(kernel, "byoc_conv_any.h", "BYOC_CONV_QLINEAR",
         {std::string(c_type(x)), std::string(c_type(w)), std::string(c_type(y)), std::string(c_type(bias))},
         {p, steps, s.in(0), s.in(1), s.in(2), s.in(3), s.in(4), s.in(5), s.in(6), s.in(7), s.in(8), s.out(0)});
  s.step.macs = c->macs();
  overlay_image(s, emitter, node, *c);
  return s.emit();
}

}  // namespace byoc::c
