// Conv on floats by Winograd's algorithm.
#pragma once

#include "backends/llvm/emitter.hpp"
#include "byoc/nodes/convolution.hpp"

namespace byoc::bitcode {

// 3x3 windows one by one, many channels, images that are large enough for the transforms to cost little, on machines
// with vectors.
[[nodiscard]] bool winograd_pays(const Emitter& emitter, const nodes::SpatialConvolution& c);
bool lower_winograd(Emitter& emitter, const codegen::Node& node, const nodes::SpatialConvolution& c);

}  // namespace byoc::bitcode
