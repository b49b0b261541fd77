#include "backends/c/lower/dense/dense.hpp"

#include "backends/c/lower/dense/bias.hpp"
#include "backends/c/lower/dense/float_kernels.hpp"
#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "byoc/nodes/spatial.hpp"

namespace byoc::c {
namespace {

// [block][depth][kFloatBlock]
codegen::Arrangement matrix_block_order(const Dense& d) {
  const auto n = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  enum : std::uint32_t { unit, depth };
  return {.element_size = sizeof(float),
          .axes = {{n(d.units), n(d.unit_stride)}, {n(d.depth), n(d.depth_stride)}},
          .loops = {{n((d.units + kFloatBlock - 1) / kFloatBlock), unit, n(kFloatBlock)},
                    {n(d.depth), depth, 1},
                    {n(kFloatBlock), unit, 1}}};
}

std::string weights_constant(Emitter& emitter, const std::string& name, const Dense& d) {
  if (d.own_weights.empty()) return emitter.constant_arranged<float>(name, d.weights, matrix_block_order(d), 16);
  return emitter.constant_bytes(
      name, DType::f32, codegen::arranged(matrix_block_order(d), std::as_bytes(std::span(d.own_weights))), true, 16);
}

}  // namespace

void Dense::scale(const codegen::Value& w, float alpha, const codegen::Value* c, float beta) {
  if (alpha != 1) own_weights = constant_elements<float>(w);
  for (float& v : own_weights) v *= alpha;
  if (c == nullptr) return;
  const std::vector<float> values = constant_elements<float>(*c);
  for (std::int64_t u = 0; u < units; ++u)
    bias.push_back(beta * values[values.size() == 1 ? 0 : static_cast<std::size_t>(u)]);
}

void lower_dense(Emitter& emitter, const codegen::Node& node, const Dense& d) {
  const std::string name = stem(emitter, node);
  std::vector<float> bias = d.bias;
  const Clamped clamped = fuse_bias(emitter, node, bias);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  bias.resize(static_cast<std::size_t>((d.units + kFloatBlock - 1) / kFloatBlock * kFloatBlock), 0.0f);
  const std::string w = weights_constant(emitter, name + "_weights", d);
  const std::string b = emitter.constant<float>(name + "_bias", bias, true, 16);

  StepText text;
  ParameterText p;
  if (!d.rows.is_known() || d.rows.known() >= kFloatBlock) {
    // Rows are the pixels of a pointwise convolution.
    FloatForm form = block_form(emitter.target, d.rows.is_known() ? std::optional(d.rows.known()) : std::nullopt);
    form.defines["BYOC_CHANNELS_LAST"] = "1";
    step.kernel =
        emitter.kernel({"conv_f32" + form.suffix + ".c", "byoc_conv_nhwc_f32" + form.block_suffix(), form.defines});
    step.workspaces = {{.bytes = static_cast<std::uint64_t>(d.depth * form.block_pixels(true)) * sizeof(float),
                        .align = 16,
                        .pools = {}}};
    const Dims3 one{1, 1, 1}, none{0, 0, 0};
    const Extents rows{1, 1, d.rows};
    p.add("batch", 1).add("groups", 1).add("in_channels", d.depth).add("out_channels", d.units);
    p.add("in", rows).add("out", rows).add("kernel", one).add("stride", one).add("dilation", one).add("pad", none);
    p.add("bounds", c_bounds(clamped.bounds));
    text.includes = {"byoc_conv_f32.h"};
    text.parameters = {p.definition("byoc_conv_f32_t", step.symbol + "_params")};
  } else {
    const FloatForm form = float_form(emitter.target);
    step.kernel = emitter.kernel(
        {"fully_connected_f32" + form.suffix + ".c", "byoc_fully_connected_f32" + form.suffix, form.defines});
    p.add("rows", d.rows).add("depth", d.depth).add("units", d.units);
    p.add("bounds", c_bounds(clamped.bounds));
    text.includes = {"byoc_fully_connected_f32.h"};
    text.parameters = {p.definition("byoc_fully_connected_f32_t", step.symbol + "_params")};
  }
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, in0, " + w + ", " + b + ", out0" +
              (step.workspaces.empty() ? "" : ", (float *)ws0") + ");\n";

  step.inputs = {{node.inputs[0]}};
  step.outputs = {{clamped.output}};
  step.nodes = clamped.nodes;
  if (d.rows.is_known()) step.macs = static_cast<std::uint64_t>(d.rows.known() * d.depth * d.units);
  emitter.step(node, std::move(step), text);
}

}  // namespace byoc::c
