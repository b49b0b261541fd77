// Convolutions with quantised operands: their geometry, and lowerings for every route that leads to one.
#pragma once

#include <string>

#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "byoc/nodes/convolution.hpp"
#include "byoc/nodes/quantised_layer.hpp"

namespace byoc::c {

// The fields of a byoc_conv_s8_t. `per_group`: channels of the images are given for one group.
[[nodiscard]] ParameterText conv_parameters(const Convolution&, std::string_view weights, const std::string& requant,
                                            std::int64_t in_zero, bool per_group);

// A node whose attributes are Conv's, on `layer`.
[[nodiscard]] codegen::Verdict accepts_conv_layer(const codegen::Region&, const codegen::Node&, const QuantisedLayer&);
bool lower_conv_layer(Emitter&, const codegen::Node&, const QuantisedLayer&);
// One small kernel computes all convolutions, with any groups, and products of rows with a matrix. It has no form for
// MVE, where it would be too slow beside the other kernels.
inline constexpr std::string_view kSmallConv = "conv_s8_small";
[[nodiscard]] KernelOption small_conv_option(const Convolution&, Scaling, unsigned bits, const TargetSpec&);
// A layer with i8 operands in that kernel. `rows`: its filter_rows, of `bits` bits; `stem` starts its symbols.
bool lower_small_conv(Emitter&, const codegen::Node&, const QuantisedLayer&, const Convolution&,
                      const std::vector<std::int8_t>& rows, unsigned bits, const std::string& stem);
// A convolution in the general kernel: any types, any zero points of the weights, computed weights and bias. `stem`
// starts its symbols.
bool lower_general_conv(Emitter&, const codegen::Node&, const QuantisedLayer&, const Convolution&,
                        const std::string& stem);

}  // namespace byoc::c
