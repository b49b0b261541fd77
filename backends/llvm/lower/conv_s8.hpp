// Conv on quantised bytes, and what else is a product of pixels with a matrix.
#pragma once

#include "backends/llvm/emitter.hpp"
#include "byoc/codegen.hpp"
#include "byoc/nodes/convolution.hpp"
#include "byoc/nodes/quantised_layer.hpp"

namespace byoc::bitcode {

[[nodiscard]] codegen::Verdict accepts_conv_s8(const codegen::Region& region, const codegen::Node& node);
bool lower_conv_s8(Emitter& emitter, const codegen::Node& node);

// `c`: the layer as a convolution. Images that have their channels first are turned on the way in and out.
[[nodiscard]] codegen::Verdict accepts_layer_s8(const codegen::Region& region, const nodes::QuantisedLayer& layer,
                                                const nodes::Convolution& c);
bool lower_layer_s8(Emitter& emitter, const codegen::Node& node, const nodes::QuantisedLayer& layer,
                    const nodes::Convolution& c);

}  // namespace byoc::bitcode
