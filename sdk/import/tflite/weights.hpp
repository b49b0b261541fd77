// What CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED ask of their weights and bias.
#pragma once

#include "sdk/import/tflite/lowering.hpp"

namespace byoc::tflite {

struct WeightRules {
  std::int32_t channel_axis = 0;        // of the weights: the one that may have scales of its own
  bool weights_zero_point = false;      // the kernel subtracts a per-tensor zero point of the weights
  bool int16_takes_int32_bias = false;  // with int16 activations; an int32 bias means an int32 accumulator
};

// Inputs 0 (activation), 1 (weights), 2 (bias, may be missing) and the output: element types, quantisation, bias
// shape. `bias_type` is the option quantized_bias_type, FLOAT32 where it is not set.
Result<void> expect_weights(Lowering&, const WeightRules&, schema::TensorType bias_type);

}  // namespace byoc::tflite
