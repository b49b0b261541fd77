#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

std::span<const OperatorEntry> supported_operators() {
  using enum schema::BuiltinOperator;
  // The newest versions are those whose kernels reference TensorFlow Lite registers; each lowering refuses the types
  // and options of them that are not supported.
  static constexpr OperatorEntry kTable[] = {
      {ADD, 5, 2, 2, lower_add},
      {AVERAGE_POOL_2D, 3, 1, 1, lower_average_pool_2d},
      {CONCATENATION, 4, 1, SIZE_MAX, lower_concatenation},
      {CONV_2D, 8, 2, 3, lower_conv_2d},
      {DEPTHWISE_CONV_2D, 7, 2, 3, lower_depthwise_conv_2d},
      {DEQUANTIZE, 6, 1, 1, lower_dequantize},
      {FULLY_CONNECTED, 13, 2, 3, lower_fully_connected},
      {LOGISTIC, 3, 1, 1, lower_logistic},
      {MAX_POOL_2D, 3, 1, 1, lower_max_pool_2d},
      {MUL, 7, 2, 2, lower_mul},
      {RELU, 3, 1, 1, lower_relu},
      {RELU_N1_TO_1, 1, 1, 1, lower_relu_n1_to_1},
      {RELU6, 3, 1, 1, lower_relu6},
      {RESHAPE, 1, 1, 2, lower_reshape},
      {SOFTMAX, 3, 1, 1, lower_softmax},
      {TANH, 3, 1, 1, lower_tanh},
      {PAD, 4, 2, 2, lower_pad},
      {TRANSPOSE, 6, 2, 2, lower_transpose},
      {MEAN, 3, 2, 2, lower_mean},
      {SUB, 5, 2, 2, lower_sub},
      {SQUEEZE, 2, 1, 1, lower_squeeze},
      {EXPAND_DIMS, 1, 2, 2, lower_expand_dims},
      {QUANTIZE, 3, 1, 1, lower_quantize},
  };
  return kTable;
}

}  // namespace byoc::tflite
