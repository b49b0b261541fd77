// Requirements of CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED for their weights and bias.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

struct WeightRules {
  std::int32_t channel_axis = 0;             // of the weights: the one that may have scales of its own
  std::size_t x = 0, weights = 1, bias = 2;  // where the operator has its inputs; the bias may be missing
  bool weights_zero_point = false;      // the kernel subtracts a per-tensor zero point of the weights, or ignores all
  bool few_bits = true;                 // int8 activations may have weights of 4 or 2 bits
  bool int16_takes_int32_bias = false;  // with int16 activations
};

// Activation, weights, bias and the output: element types, quantisation, bias shape. `bias_type` is the option
// quantized_bias_type, FLOAT32 where it is not set.
Result<void> expect_weights(OperatorImport&, const WeightRules&, schema::TensorType bias_type);

}  // namespace byoc::tflite
