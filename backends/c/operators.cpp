#include "backends/c/operators.hpp"

#include <algorithm>

#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {
namespace {

// In the order of the alphabet within a domain.
constexpr Lowering kLowerings[] = {
    {"", "Abs", accepts_unary, lower_unary},
    {"", "Add", accepts_add, lower_add},
    {"", "AveragePool", accepts_average_pool, lower_average_pool},
    {"", "BatchNormalization", accepts_batch_normalization, lower_batch_normalization},
    {"", "Ceil", accepts_unary, lower_unary},
    {"", "Clip", accepts_clip, lower_clip},
    {"", "Concat", accepts_concat, lower_concat},
    {"", "Conv", accepts_conv, lower_conv},
    {"", "Cos", accepts_unary, lower_unary},
    {"", "DequantizeLinear", accepts_dequantize_linear, lower_dequantize_linear},
    {"", "Div", accepts_binary, lower_binary},
    {"", "Dropout", accepts_reshape, lower_reshape},
    {"", "Elu", accepts_unary, lower_unary},
    {"", "Erf", accepts_unary, lower_unary},
    {"", "Exp", accepts_unary, lower_unary},
    {"", "Flatten", accepts_reshape, lower_reshape},
    {"", "Floor", accepts_unary, lower_unary},
    {"", "Gemm", accepts_gemm, lower_gemm},
    {"", "GlobalAveragePool", accepts_global_average_pool, lower_global_average_pool},
    {"", "GlobalMaxPool", accepts_global_max_pool, lower_global_max_pool},
    {"", "HardSigmoid", accepts_unary, lower_unary},
    {"", "HardSwish", accepts_unary, lower_unary},
    {"", "Identity", accepts_reshape, lower_reshape},
    {"", "LeakyRelu", accepts_unary, lower_unary},
    {"", "Log", accepts_unary, lower_unary},
    {"", "MatMul", accepts_matmul, lower_matmul},
    {"", "Max", accepts_binary, lower_binary},
    {"", "MaxPool", accepts_max_pool, lower_max_pool},
    {"", "Min", accepts_binary, lower_binary},
    {"", "Mul", accepts_mul, lower_mul},
    {"", "Neg", accepts_unary, lower_unary},
    {"", "PRelu", accepts_binary, lower_binary},
    {"", "Pad", accepts_pad, lower_pad},
    {"", "Pow", accepts_binary, lower_binary},
    {"", "QLinearConv", accepts_qlinear_conv, lower_qlinear_conv},
    {"", "QLinearMatMul", accepts_qlinear_matmul, lower_qlinear_matmul},
    {"", "QuantizeLinear", accepts_quantize_linear, lower_quantize_linear},
    {"", "Reciprocal", accepts_unary, lower_unary},
    {"", "ReduceMean", accepts_reduce_mean, lower_reduce_mean},
    {"", "ReduceSum", accepts_reduce_float, lower_reduce_float},
    {"", "Relu", accepts_relu, lower_relu},
    {"", "Reshape", accepts_reshape, lower_reshape},
    {"", "Sigmoid", accepts_unary, lower_unary},
    {"", "Sin", accepts_unary, lower_unary},
    {"", "Slice", accepts_slice, lower_slice},
    {"", "Softmax", accepts_softmax, lower_softmax},
    {"", "Softplus", accepts_unary, lower_unary},
    {"", "Sqrt", accepts_unary, lower_unary},
    {"", "Squeeze", accepts_reshape, lower_reshape},
    {"", "Sub", accepts_sub, lower_sub},
    {"", "Sum", accepts_binary, lower_binary},
    {"", "Tanh", accepts_unary, lower_unary},
    {"", "Transpose", accepts_transpose, lower_transpose},
    {"", "Unsqueeze", accepts_reshape, lower_reshape},
    {"byoc", "Dequantize", accepts_dequantize, lower_dequantize},
    {"byoc", "FullyConnected", accepts_fully_connected, lower_fully_connected},
    {"byoc", "Quantize", accepts_quantize, lower_quantize},
};

}  // namespace

const Lowering* find_lowering(std::string_view domain, std::string_view op) {
  const auto* it = std::find_if(std::begin(kLowerings), std::end(kLowerings),
                                [&](const Lowering& l) { return l.op == op && l.domain == domain; });
  return it == std::end(kLowerings) ? nullptr : it;
}

}  // namespace byoc::c
