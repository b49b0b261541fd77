// Products of computed i8 rows with a constant i8 matrix: FullyConnected, Gemm and MatMul.
#pragma once

#include "backends/c/lower/quantise/requantise.hpp"
#include "byoc/nodes/matmul.hpp"
#include "byoc/nodes/quantised_layer.hpp"

namespace byoc::c {

// Refuses what kernels cannot compute of `layer`; the node's `activation` is part of it.
[[nodiscard]] codegen::Verdict accepts_dense(const codegen::Region&, const codegen::Node&, const QuantisedLayer&,
                                             const RowsByMatrix&);
bool lower_dense_quantised(Emitter&, const codegen::Node&, const QuantisedLayer&, const RowsByMatrix&);

}  // namespace byoc::c
