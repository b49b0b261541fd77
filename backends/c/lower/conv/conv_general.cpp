// Convolutions whose operands the i8 kernels do not take: other types, zero points of weights, computed weights.
#include <algorithm>

#include "backends/c/lower/conv/conv_quantised.hpp"
#include "backends/c/lower/conv/conv_s16.hpp"
#include "backends/c/lower/quantise/packed_weights.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/layers/in_place.hpp"
#include "backends/layers/weight_packing.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Value;

Kernel general_kernel(const QuantisedLayer& layer, unsigned bits) {
  const bool wide = layer.scaling == Scaling::wide;
  const DType bias = layer.bias ? layer.bias->dtype : DType::i32;
  Kernel kernel = requant_kernel(layer.scaling, "conv_q");
  kernel.symbol = "byoc_conv_q_" + std::string(to_string(layer.in.dtype)) + (bias == DType::i64 ? "_b64" : "") +
                  std::string(requant_suffix(layer.scaling));
  kernel.defines["BYOC_IN"] = c_type(layer.in.dtype);
  kernel.defines["BYOC_OUT"] = c_type(layer.out.dtype);
  kernel.defines["BYOC_BIAS"] = c_type(bias);
  kernel.defines["BYOC_SUM"] = wide ? "uint64_t" : "uint32_t";
  if (layer.out.dtype != layer.in.dtype) kernel.symbol += "_to_" + std::string(to_string(layer.out.dtype));
  return with_bits(kernel, bits);
}

// The elements of weights that keep their few bits, as signed numbers; their zero points move with them.
struct FewBits {
  std::vector<std::int8_t> elements, zeros;
};
FewBits few_bits(const QuantisedLayer& layer, std::int64_t channels) {
  const int down = layer.weights.dtype == DType::u8 ? 1 << (layer.weight_bits - 1) : 0;
  FewBits out;
  for (std::size_t i = 0; i < layer.weights.data.size(); ++i)
    out.elements.push_back(static_cast<std::int8_t>(weight_element(layer.weights, i) - down));
  const auto& zeros = layer.weights.quantisation.zero_points;
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c)
    out.zeros.push_back(static_cast<std::int8_t>((zeros.empty() ? 0 : zeros[zeros.size() == 1 ? 0 : c]) - down));
  if (std::all_of(out.zeros.begin(), out.zeros.end(), [](std::int8_t z) { return z == 0; })) out.zeros.clear();
  return out;
}

}  // namespace

bool lower_general_conv(Emitter& emitter, const Node& node, const QuantisedLayer& layer, const Convolution& c,
                        const std::string& stem) {
  if (takes_s16(layer, emitter.target)) return lower_s16_conv(emitter, node, layer, c, stem);
  codegen::Step step;
  step.symbol = emitter.host().claim(stem);
  step.nodes = {node_id(emitter, node)};
  step.inputs = {{layer.input}};
  step.outputs = {{layer.output}};
  step.macs = c.macs();
  // A result that is all of its group is computed of that alone.
  const Reads reads = c.group_out() == 1 ? Reads::before_writing : Reads::while_writing;
  if (layer.in.dtype == layer.out.dtype)
    if (const auto lead = group_lead(c.in, c.out, c.window, c.groups, reads, bit_width(layer.in.dtype) / 8))
      step.overlays = {{0, 0, *lead}};
  // Unpacking costs this kernel a few instructions for each product.
  const unsigned bits = emitter.objective == Objective::speed ? 8 : layer.weight_bits;
  step.kernel = emitter.kernel(general_kernel(layer, bits));

  std::string weights, zeros = "0";
  std::vector<std::int8_t> zero;
  if (bits < 8) {
    const FewBits few = few_bits(layer, c.out.channels);
    weights = emitter.constant<std::int8_t>(stem + "_weights", pack_bits(few.elements, bits), true);
    zero = few.zeros;
  } else {
    weights = !layer.weights.is_constant || (layer.weights.dtype == DType::i8 && !layer.unpacked)
                  ? operand(emitter, step, layer.weights_id, stem + "_weights")
                  : emitter.constant<std::int8_t>(stem + "_weights", offset_weights(layer.weights, 0).elements, true);
    zero = offset_weights(layer.weights, c.out.channels).zeros;
  }
  if (!zero.empty()) zeros = emitter.constant<std::int8_t>(stem + "_weight_zero", zero, false, 1);
  const std::string bias = layer.bias ? operand(emitter, step, layer.bias_id, stem + "_bias") : "NULL";
  const std::string requant = emit_scales(emitter, layer.scaling, stem, layer.in, layer.weights, layer.bias, layer.out,
                                          c.clamp, c.out.channels);
  StepText text;
  text.includes = {"byoc_conv_q.h"};
  text.declarations.insert("BYOC_CONV_Q(" + step.kernel + ");");
  text.parameters = {
      ParameterText()
          .add("conv", conv_parameters(c, "0", requant, affine(layer.in).zero, true).nested("byoc_conv_s8_t"))
          .add("w_out, w_tap, w_in",
               std::to_string(c.filter.out) + ", " + std::to_string(c.filter.tap) + ", " + std::to_string(c.filter.in))
          .add("weight_zero", zeros)
          .definition("byoc_conv_q_t", step.symbol + "_params")};
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, in0, " + weights + ", " + bias + ", out0);\n";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
