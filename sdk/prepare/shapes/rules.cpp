#include "sdk/prepare/shapes/rules.hpp"

#include <array>

namespace byoc::shapes {
namespace {

constexpr std::array kRules = {
    Rule{"", "Abs", 1, 1, 1, like_input},
    Rule{"", "Add", 2, 2, 1, elementwise_binary},
    Rule{"", "AveragePool", 1, 1, 1, pool},
    Rule{"", "BatchNormalization", 5, 5, 1, batch_normalization},
    Rule{"", "Cast", 1, 1, 1, cast},
    Rule{"", "Ceil", 1, 1, 1, like_input},
    Rule{"", "Clip", 1, 3, 1, clip},
    Rule{"", "Concat", 1, kAny, 1, concat},
    Rule{"", "Constant", 0, 0, 1, constant},
    Rule{"", "ConstantOfShape", 1, 1, 1, constant_of_shape},
    Rule{"", "Conv", 2, 3, 1, conv},
    Rule{"", "DequantizeLinear", 2, 3, 1, dequantize_linear},
    Rule{"", "Div", 2, 2, 1, elementwise_binary},
    Rule{"", "Dropout", 1, 3, 2, dropout},
    Rule{"", "Erf", 1, 1, 1, like_input},
    Rule{"", "Exp", 1, 1, 1, like_input},
    Rule{"", "Expand", 2, 2, 1, expand},
    Rule{"", "Flatten", 1, 1, 1, flatten},
    Rule{"", "Floor", 1, 1, 1, like_input},
    Rule{"", "Gather", 2, 2, 1, gather},
    Rule{"", "Gemm", 2, 3, 1, gemm},
    Rule{"", "GlobalAveragePool", 1, 1, 1, global_pool},
    Rule{"", "GlobalMaxPool", 1, 1, 1, global_pool},
    Rule{"", "Identity", 1, 1, 1, like_input},
    Rule{"", "LeakyRelu", 1, 1, 1, like_input},
    Rule{"", "Log", 1, 1, 1, like_input},
    Rule{"", "MatMul", 2, 2, 1, matmul},
    Rule{"", "Max", 1, kAny, 1, elementwise_variadic},
    Rule{"", "MaxPool", 1, 1, 1, pool},
    Rule{"", "Mean", 1, kAny, 1, elementwise_variadic},
    Rule{"", "Min", 1, kAny, 1, elementwise_variadic},
    Rule{"", "Mul", 2, 2, 1, elementwise_binary},
    Rule{"", "Neg", 1, 1, 1, like_input},
    Rule{"", "Pad", 2, 4, 1, pad},
    Rule{"", "Pow", 2, 2, 1, power},
    Rule{"", "QLinearConv", 8, 9, 1, qlinear_conv},
    Rule{"", "QLinearMatMul", 8, 8, 1, qlinear_matmul},
    Rule{"", "QuantizeLinear", 2, 3, 1, quantize_linear},
    Rule{"", "Reciprocal", 1, 1, 1, like_input},
    Rule{"", "ReduceMax", 1, 2, 1, reduce},
    Rule{"", "ReduceMean", 1, 2, 1, reduce},
    Rule{"", "ReduceSum", 1, 2, 1, reduce},
    Rule{"", "Relu", 1, 1, 1, like_input},
    Rule{"", "Reshape", 2, 2, 1, reshape},
    Rule{"", "Shape", 1, 1, 1, shape},
    Rule{"", "Sigmoid", 1, 1, 1, like_input},
    Rule{"", "Slice", 3, 5, 1, slice},
    Rule{"", "Softmax", 1, 1, 1, softmax},
    Rule{"", "Split", 1, 2, kAny, split},
    Rule{"", "Sqrt", 1, 1, 1, like_input},
    Rule{"", "Squeeze", 1, 2, 1, squeeze},
    Rule{"", "Sub", 2, 2, 1, elementwise_binary},
    Rule{"", "Sum", 1, kAny, 1, elementwise_variadic},
    Rule{"", "Tanh", 1, 1, 1, like_input},
    Rule{"", "Transpose", 1, 1, 1, transpose},
    Rule{"", "Unsqueeze", 2, 2, 1, unsqueeze},
    Rule{"byoc", "Dequantize", 1, 1, 1, byoc_dequantize},
    Rule{"byoc", "FullyConnected", 2, 3, 1, fully_connected},
    Rule{"byoc", "Quantize", 1, 1, 1, byoc_quantize},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view domain, std::string_view op) {
  for (const Rule& r : kRules)
    if (r.op == op && r.domain == domain) return &r;
  return nullptr;
}

}  // namespace byoc::shapes
