// Products of computed i8 rows with a constant i8 matrix: FullyConnected, Gemm and MatMul.
#pragma once

#include <cstdint>
#include <string>

#include "backends/c/lower/quantise/quantised_layer.hpp"

namespace byoc::c {

// A node as y[rows, units] = x[rows, depth] * w + bias.
struct DenseQuantised {
  std::int64_t rows = 0, depth = 0, units = 0;
  std::size_t unit_axis = 0;  // of the weights: 0 for [units, depth], 1 for [depth, units]
};

// [..., depth] by a matrix [depth, units], as MatMul has them; all sizes 0 where they do not fit.
[[nodiscard]] DenseQuantised rows_by_matrix(const QuantisedLayer&);

// Refuses what kernels cannot compute of `layer`; the node's `activation` is part of it.
[[nodiscard]] codegen::Verdict accepts_dense(const codegen::Region&, const codegen::Node&, const QuantisedLayer&,
                                             const DenseQuantised&);
bool lower_dense_quantised(Emitter&, const codegen::Node&, const QuantisedLayer&, const DenseQuantised&);

}  // namespace byoc::c
