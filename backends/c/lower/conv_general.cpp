// Convolutions whose operands the i8 kernels do not take.
#include "backends/c/lower/conv_quantised.hpp"
#include "backends/c/lower/operands.hpp"

namespace byoc::c {

bool lower_general_conv(Emitter& emitter, const codegen::Node& node, const QuantisedLayer& layer, const Convolution& c,
                        const std::string& stem) {
  codegen::Step step;
  step.symbol = emitter.host().claim(stem);
  step.nodes = {node_id(emitter, node)};
  step.inputs = {{layer.input}};
  step.outputs = {{layer.output}};
  step.macs = c.macs();
  Kernel kernel = requant_kernel(layer.scaling, "conv_q8");
  kernel.symbol = "byoc_conv_q8_" + std::string(to_string(layer.in.dtype)) + std::string(requant_suffix(layer.scaling));
  kernel.defines["BYOC_IN"] = c_type(layer.in.dtype);
  step.kernel = emitter.kernel(kernel);

  const OffsetWeights weights = offset_weights(layer.weights, c.out.channels);
  const std::string rows = emitter.constant<std::int8_t>(stem + "_weights", filter_rows(c, weights.elements), true);
  const std::string zeros =
      weights.zeros.empty() ? "0" : emitter.constant<std::int8_t>(stem + "_weight_zero", weights.zeros, false, 1);
  // The kernel takes the input's zero point off itself.
  const std::vector<std::int64_t> nothing(static_cast<std::size_t>(c.out.channels), 0);
  const std::string requant =
      emit_requant(emitter, layer.scaling, stem, layer.in, layer.weights, layer.bias, layer.out, c.clamp, nothing);
  ParameterText conv;
  StepText text;
  text.includes = {"byoc_conv_q8.h"};
  text.prelude = ParameterText()
                     .add("conv", conv_parameters(c, rows, requant, affine(layer.in).zero, true, conv))
                     .add("weight_zero", zeros)
                     .definition("byoc_conv_q8_t", step.symbol + "_params");
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, in0, out0);\n";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
