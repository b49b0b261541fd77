// Convolutions of i16 with i8 weights in the kernels of the DSP extension and MVE.
#pragma once

#include <string>

#include "backends/c/lower/conv/conv_quantised.hpp"

namespace byoc::c {

// True if these kernels take the layer on the target; lower_general_conv() asks.
[[nodiscard]] bool takes_s16(const QuantisedLayer&, const TargetSpec&);
bool lower_s16_conv(Emitter&, const codegen::Node&, const QuantisedLayer&, const Convolution&, const std::string& stem);

}  // namespace byoc::c
