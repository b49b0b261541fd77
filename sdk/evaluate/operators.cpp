#include "sdk/evaluate/operators.hpp"

#include <array>

namespace byoc::evaluate {
namespace {

constexpr std::array kOperators = {
    Operator{"", "Abs", 1, 1, 1, unary},
    Operator{"", "Add", 2, 2, 1, add},
    Operator{"", "AveragePool", 1, 1, 1, average_pool},
    Operator{"", "BatchNormalization", 5, 5, 1, batch_normalization},
    Operator{"", "Cast", 1, 1, 1, cast},
    Operator{"", "Ceil", 1, 1, 1, unary},
    Operator{"", "Clip", 1, 3, 1, clip},
    Operator{"", "Concat", 1, kAny, 1, concat},
    Operator{"", "Constant", 0, 0, 1, constant},
    Operator{"", "ConstantOfShape", 1, 1, 1, constant_of_shape},
    Operator{"", "Conv", 2, 3, 1, conv},
    Operator{"", "DequantizeLinear", 2, 3, 1, dequantize_linear},
    Operator{"", "Div", 2, 2, 1, div},
    Operator{"", "Dropout", 1, 3, 2, dropout},
    Operator{"", "Erf", 1, 1, 1, unary},
    Operator{"", "Exp", 1, 1, 1, unary},
    Operator{"", "Expand", 2, 2, 1, expand},
    Operator{"", "Flatten", 1, 1, 1, flatten},
    Operator{"", "Floor", 1, 1, 1, unary},
    Operator{"", "Gather", 2, 2, 1, gather},
    Operator{"", "Gemm", 2, 3, 1, gemm},
    Operator{"", "GlobalAveragePool", 1, 1, 1, global_average_pool},
    Operator{"", "GlobalMaxPool", 1, 1, 1, global_max_pool},
    Operator{"", "Identity", 1, 1, 1, identity},
    Operator{"", "LeakyRelu", 1, 1, 1, leaky_relu},
    Operator{"", "Log", 1, 1, 1, unary},
    Operator{"", "MatMul", 2, 2, 1, matmul},
    Operator{"", "Max", 1, kAny, 1, max},
    Operator{"", "MaxPool", 1, 1, 1, max_pool},
    Operator{"", "Mean", 1, kAny, 1, mean},
    Operator{"", "Min", 1, kAny, 1, min},
    Operator{"", "Mul", 2, 2, 1, mul},
    Operator{"", "Neg", 1, 1, 1, unary},
    Operator{"", "Pad", 2, 4, 1, pad},
    Operator{"", "Pow", 2, 2, 1, pow},
    Operator{"", "QLinearConv", 8, 9, 1, qlinear_conv},
    Operator{"", "QLinearMatMul", 8, 8, 1, qlinear_matmul},
    Operator{"", "QuantizeLinear", 2, 3, 1, quantize_linear},
    Operator{"", "Reciprocal", 1, 1, 1, unary},
    Operator{"", "ReduceMax", 1, 2, 1, reduce_max},
    Operator{"", "ReduceMean", 1, 2, 1, reduce_mean},
    Operator{"", "ReduceSum", 1, 2, 1, reduce_sum},
    Operator{"", "Relu", 1, 1, 1, relu},
    Operator{"", "Reshape", 2, 2, 1, reshape},
    Operator{"", "Shape", 1, 1, 1, shape},
    Operator{"", "Sigmoid", 1, 1, 1, sigmoid},
    Operator{"", "Slice", 3, 5, 1, slice},
    Operator{"", "Softmax", 1, 1, 1, softmax},
    Operator{"", "Split", 1, 2, kAny, split},
    Operator{"", "Sqrt", 1, 1, 1, unary},
    Operator{"", "Squeeze", 1, 2, 1, squeeze},
    Operator{"", "Sub", 2, 2, 1, sub},
    Operator{"", "Sum", 1, kAny, 1, sum},
    Operator{"", "Tanh", 1, 1, 1, tanh},
    Operator{"", "Transpose", 1, 1, 1, transpose},
    Operator{"", "Unsqueeze", 2, 2, 1, unsqueeze},
    Operator{"byoc", "Dequantize", 1, 1, 1, byoc_dequantize},
    Operator{"byoc", "FullyConnected", 2, 3, 1, fully_connected},
    Operator{"byoc", "Quantize", 1, 1, 1, byoc_quantize},
};

}  // namespace

std::span<const Operator> operators() { return kOperators; }

const Operator* find_operator(std::string_view domain, std::string_view op) {
  for (const Operator& o : kOperators)
    if (o.op == op && o.domain == domain) return &o;
  return nullptr;
}

}  // namespace byoc::evaluate
