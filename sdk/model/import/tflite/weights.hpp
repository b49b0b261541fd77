// Requirements of CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED for their weights and bias.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

struct WeightRules {
  std::int32_t channel_axis = 0;             // of the weights: the one that may have scales of its own
  std::size_t x = 0, weights = 1, bias = 2;  // where the operator has its inputs; the bias may be missing
  bool weights_zero_point = false;           // the int8 kernel subtracts a per-tensor zero point of the weights
  bool few_bits = true;                      // int8 activations may have weights of 4 or 2 bits
  bool int16_takes_int32_bias = false;       // with int16 activations
  bool hybrid = false;                       // int8 weights go with float activations
};

// Activation, weights, bias and the output: element types, quantisation, bias shape. `bias_type` is the option
// quantized_bias_type, FLOAT32 where it is not set.
Result<void> expect_weights(OperatorImport&, const WeightRules&, schema::TensorType bias_type);

// Input `weights` as a convolution reads it: kernels of int8 ignore its zero points, those of uint8 subtract one.
ir::ValueId filter_of(OperatorImport&, std::size_t weights);

// Input 2, the bias. A kernel of int16 that has none sums in 32 bits where the option quantized_bias_type says so, as
// it does with an int32 bias: of zeros.
ir::ValueId bias_of(OperatorImport&, ir::Dim channels, schema::TensorType bias_type);

// Says how the kernel of the node multiplies scales: kernels of uint8 round the product to float32.
void describe_product(const OperatorImport&, ir::Node&);

}  // namespace byoc::tflite
