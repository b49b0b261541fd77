#include "tests/e2e/layers/onnx/families.hpp"

namespace byoc::test {

std::vector<Family> onnx_families() {
  return {
      family("onnx_arithmetic", make_onnx_arithmetic, 60),
      family("onnx_conv", make_onnx_conv, 51),
      family("onnx_conv_literal", make_onnx_conv_literal, 21),
      family("onnx_depthwise_conv", make_onnx_depthwise_conv, 34),
      family("onnx_floats", make_onnx_floats, 62),
      family("onnx_functions", make_onnx_functions, 96),
      family("onnx_graphs", make_onnx_graphs, 32),
      family("onnx_integer", make_onnx_integer, 24),
      family("onnx_many_dims", make_onnx_many_dims, 20),
      family("onnx_matmul", make_onnx_matmul, 80),
      family("onnx_matmul_literal", make_onnx_matmul_literal, 28),
      family("onnx_movement", make_onnx_movement, 72),
      family("onnx_newest", make_onnx_newest, 40),
      family("onnx_pools", make_onnx_pools, 54),
      family("onnx_recurrent", make_onnx_recurrent, 24),
      family("onnx_requantise", make_onnx_requantise, 56),
      family("onnx_sampled", make_onnx_sampled, 25),
      family("onnx_transforms", make_onnx_transforms, 24),
      family("onnx_trees", make_onnx_trees, 24),
  };
}

}  // namespace byoc::test
