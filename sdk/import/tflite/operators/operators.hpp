// One function, in one file, for each operator of the table in operators.cpp. They check what the kernels of TensorFlow
// Lite demand, refuse the rest, and add the node that docs/operators.md names.
#pragma once

#include "sdk/import/tflite/lowering.hpp"

namespace byoc::tflite {

Result<void> lower_add(Lowering&);
Result<void> lower_average_pool_2d(Lowering&);
Result<void> lower_concatenation(Lowering&);
Result<void> lower_conv_2d(Lowering&);
Result<void> lower_depthwise_conv_2d(Lowering&);
Result<void> lower_dequantize(Lowering&);
Result<void> lower_expand_dims(Lowering&);
Result<void> lower_fully_connected(Lowering&);
Result<void> lower_logistic(Lowering&);
Result<void> lower_max_pool_2d(Lowering&);
Result<void> lower_mean(Lowering&);
Result<void> lower_mul(Lowering&);
Result<void> lower_pad(Lowering&);
Result<void> lower_quantize(Lowering&);
Result<void> lower_relu(Lowering&);
Result<void> lower_relu6(Lowering&);
Result<void> lower_relu_n1_to_1(Lowering&);
Result<void> lower_reshape(Lowering&);
Result<void> lower_softmax(Lowering&);
Result<void> lower_squeeze(Lowering&);
Result<void> lower_sub(Lowering&);
Result<void> lower_tanh(Lowering&);
Result<void> lower_transpose(Lowering&);

}  // namespace byoc::tflite
