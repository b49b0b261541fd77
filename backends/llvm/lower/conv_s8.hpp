// Conv on quantised bytes.
#pragma once

#include "backends/llvm/emitter.hpp"
#include "byoc/codegen.hpp"

namespace byoc::bitcode {

[[nodiscard]] codegen::Verdict accepts_conv_s8(const codegen::Region& region, const codegen::Node& node);
bool lower_conv_s8(Emitter& emitter, const codegen::Node& node);

}  // namespace byoc::bitcode
