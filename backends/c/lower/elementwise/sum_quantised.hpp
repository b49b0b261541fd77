// Sums, differences and products of two 8-bit tensors: one kernel over two tables of 256 entries.
#pragma once

#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {

enum class PairOperator { add, subtract, multiply };

// Refuses what the kernels cannot compute; `read` is called for operands that have scales. `largest_shift`: of the
// output multiplier, beyond which TFLite is undefined.
[[nodiscard]] codegen::Verdict accepts_pair(const codegen::Region&, const codegen::Node&,
                                            tflite::PairParameters (*read)(const codegen::Region&,
                                                                           const codegen::Node&),
                                            std::int32_t largest_shift);
// The kernels for it, of a node that is accepted.
[[nodiscard]] std::vector<KernelOption> pair_options(const LayerQuestion&, const codegen::Node&,
                                                     const tflite::PairParameters&, PairOperator);
bool lower_pair(Emitter&, const codegen::Node&, const tflite::PairParameters&, PairOperator);

}  // namespace byoc::c
