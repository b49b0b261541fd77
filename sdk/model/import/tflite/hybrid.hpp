// Layers of float32 whose weights are int8. Their kernels quantise the activations, row by row or image by image, and
// multiply integers.
#pragma once

#include <string>

#include "sdk/model/import/tflite/convolution.hpp"

namespace byoc::tflite {

// True if input 0 is float32 and input 1 quantised int8.
[[nodiscard]] bool is_hybrid(const OperatorImport&);

// x [..., depth] as rows, weights [units, depth]: y = activation(x * weights^T + bias). `symmetric`: x has no zero
// points.
Result<void> import_hybrid_product(OperatorImport&, bool symmetric, schema::ActivationFunctionType);

// A convolution of x with the filter, which is input 1.
Result<void> import_hybrid_convolution(OperatorImport&, const Convolution&, schema::ActivationFunctionType);

// Gives an operator whose output is float32 its int8 constants as float32 numbers. A warning says that upstream
// multiplies integers instead.
void dequantise_weights(ir::Graph&, std::vector<ir::ValueId>& inputs, ir::ValueId output, std::int64_t position,
                        const std::string& where, Diagnostics&);

}  // namespace byoc::tflite
