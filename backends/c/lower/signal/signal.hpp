// TensorFlow Lite Micro's signal library: what its lowerings share. Shapes, types and attributes have been checked by
// the rules of sdk/model/prepare.
#pragma once

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/typed_step.hpp"

namespace byoc::c {

[[nodiscard]] inline codegen::Verdict accepts_signal(const codegen::Region& region, const codegen::Node& node) {
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

// A call of kernels/signal/<name>.c, whose symbol is the name.
inline void call_signal(TypedStep& s, const std::string& name, std::string_view macro,
                        const std::vector<std::string>& arguments) {
  s.call({name + ".c", "byoc_" + name, {}}, "byoc_signal.h", macro, {}, arguments);
}

}  // namespace byoc::c
