// Declarations of the lowerings, for the table in operators.cpp.
#pragma once

#include "backends/c/operators.hpp"

#define BYOC_DECLARE_LOWERING(name)                                                                 \
  codegen::Verdict accepts_##name(const codegen::Region&, const codegen::Node&, const TargetSpec&); \
  bool lower_##name(Emitter&, const codegen::Node&)

namespace byoc::c {

BYOC_DECLARE_LOWERING(reshape);

}  // namespace byoc::c
