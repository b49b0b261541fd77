#include "backends/c/lower/dense.hpp"

#include "backends/c/lower/activation.hpp"
#include "backends/c/lower/operands.hpp"
#include "backends/c/lower/parameters.hpp"
#include "backends/c/lower/spatial.hpp"

namespace byoc::c {
namespace {

constexpr std::int64_t kBlock = 4;  // units that the kernels compute at once

// [block][depth][kBlock]
std::vector<float> pack(const Dense& d) {
  const std::int64_t blocks = (d.units + kBlock - 1) / kBlock;
  std::vector<float> out(static_cast<std::size_t>(blocks * kBlock * d.depth));
  for (std::int64_t u = 0; u < d.units; ++u)
    for (std::int64_t k = 0; k < d.depth; ++k)
      out[static_cast<std::size_t>((u / kBlock * d.depth + k) * kBlock + u % kBlock)] =
          d.weights[static_cast<std::size_t>(u * d.unit_stride + k * d.depth_stride)];
  return out;
}

}  // namespace

void lower_dense(Emitter& emitter, const codegen::Node& node, const Dense& d) {
  const std::string name = stem(emitter, node);
  const Clamped clamped = fuse_clamp(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  std::vector<float> bias = d.bias;
  bias.resize(static_cast<std::size_t>((d.units + kBlock - 1) / kBlock * kBlock), 0.0f);
  const std::string w = emitter.constant<float>(name + "_weights", pack(d), true, 16);
  const std::string b = emitter.constant<float>(name + "_bias", bias, true, 16);

  StepText text;
  Parameters p;
  if (d.rows >= kBlock) {
    // Rows are the pixels of a pointwise convolution.
    const bool wide = has_wide_vectors(emitter.target);
    step.kernel = emitter.kernel({wide ? "conv_f32_wide.c" : "conv_f32.c",
                                  wide ? "byoc_conv_nhwc_f32_wide" : "byoc_conv_nhwc_f32",
                                  {{"BYOC_CHANNELS_LAST", "1"}}});
    step.workspaces = {
        {.bytes = static_cast<std::uint64_t>(d.depth * (wide ? 8 : 4)) * sizeof(float), .align = 16, .pools = {}}};
    const Dims3 one{1, 1, 1}, rows{1, 1, d.rows}, none{0, 0, 0};
    p.add("batch", 1).add("groups", 1).add("in_channels", d.depth).add("out_channels", d.units);
    p.add("in", rows).add("out", rows).add("kernel", one).add("stride", one).add("dilation", one).add("pad", none);
    p.add("bounds", c_bounds(clamped.bounds));
    text.includes = {"byoc_conv_f32.h"};
    text.prelude = p.definition("byoc_conv_f32_t", step.symbol + "_params");
  } else {
    step.kernel = emitter.kernel({"fully_connected_f32.c", "byoc_fully_connected_f32", {}});
    p.add("rows", d.rows).add("depth", d.depth).add("units", d.units);
    p.add("bounds", c_bounds(clamped.bounds));
    text.includes = {"byoc_fully_connected_f32.h"};
    text.prelude = p.definition("byoc_fully_connected_f32_t", step.symbol + "_params");
  }
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, in0, " + w + ", " + b + ", out0" +
              (step.workspaces.empty() ? "" : ", (float *)ws0") + ");\n";

  step.inputs = {{node.inputs[0]}};
  step.outputs = {{clamped.output}};
  step.nodes = clamped.nodes;
  step.macs = static_cast<std::uint64_t>(d.rows * d.depth * d.units);
  emitter.step(node, std::move(step), text);
}

}  // namespace byoc::c
