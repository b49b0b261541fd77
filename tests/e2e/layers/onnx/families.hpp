// Every family of ONNX operators, in files of families/.
#pragma once

#include "tests/e2e/layers/onnx/onnx_model.hpp"

namespace byoc::test {

void make_onnx_arithmetic(OnnxModel&, Random&, std::size_t index);
void make_onnx_conv(OnnxModel&, Random&, std::size_t index);
void make_onnx_conv_literal(LiteralOnnxModel&, Random&, std::size_t index);
void make_onnx_depthwise_conv(OnnxModel&, Random&, std::size_t index);
void make_onnx_floats(NewestOnnxModel&, Random&, std::size_t index);
void make_onnx_functions(OnnxModel&, Random&, std::size_t index);
void make_onnx_graphs(OnnxModel&, Random&, std::size_t index);
void make_onnx_integer(OnnxModel&, Random&, std::size_t index);
void make_onnx_many_dims(NewestOnnxModel&, Random&, std::size_t index);
void make_onnx_matmul(OnnxModel&, Random&, std::size_t index);
void make_onnx_matmul_literal(LiteralOnnxModel&, Random&, std::size_t index);
void make_onnx_movement(OnnxModel&, Random&, std::size_t index);
void make_onnx_newest(NewestOnnxModel&, Random&, std::size_t index);
void make_onnx_pools(OnnxModel&, Random&, std::size_t index);
void make_onnx_recurrent(OnnxModel&, Random&, std::size_t index);
void make_onnx_requantise(OnnxModel&, Random&, std::size_t index);
void make_onnx_sampled(OnnxModel&, Random&, std::size_t index);
void make_onnx_transforms(OnnxModel&, Random&, std::size_t index);
void make_onnx_trees(OnnxModel&, Random&, std::size_t index);

}  // namespace byoc::test
