// The functions that operators.inc names: accepts_<family> and lower_<family>, each in a file of lower/.
#pragma once

#include "backends/llvm/emitter.hpp"
#include "byoc/codegen.hpp"

namespace byoc::bitcode {

#define BYOC_LOWERING_FAMILY(name)                                                           \
  codegen::Verdict accepts_##name(const codegen::Region& region, const codegen::Node& node); \
  bool lower_##name(Emitter& emitter, const codegen::Node& node);

BYOC_LOWERING_FAMILY(add)
BYOC_LOWERING_FAMILY(batch_normalization)
BYOC_LOWERING_FAMILY(clamp)
BYOC_LOWERING_FAMILY(concat)
BYOC_LOWERING_FAMILY(conv)
BYOC_LOWERING_FAMILY(conv_transpose)
BYOC_LOWERING_FAMILY(elementwise)
BYOC_LOWERING_FAMILY(fully_connected)
BYOC_LOWERING_FAMILY(gemm)
BYOC_LOWERING_FAMILY(matmul)
BYOC_LOWERING_FAMILY(normalise)
BYOC_LOWERING_FAMILY(pool)
BYOC_LOWERING_FAMILY(quantise)
BYOC_LOWERING_FAMILY(recurrent)
BYOC_LOWERING_FAMILY(reduce)
BYOC_LOWERING_FAMILY(reshape)
BYOC_LOWERING_FAMILY(softmax)
BYOC_LOWERING_FAMILY(transpose)

#undef BYOC_LOWERING_FAMILY

// Refuses a node that moves quantised values, unless they are signed bytes that stay what they are.
[[nodiscard]] std::optional<codegen::Verdict> refuse_moved(const codegen::Region& region, const codegen::Node& node);

}  // namespace byoc::bitcode
