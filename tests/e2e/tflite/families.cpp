#include "tests/e2e/tflite/families.hpp"

namespace byoc::test {

std::span<const Family> families() {
  static constexpr Family kFamilies[] = {
      {"activations", make_activations, 20},
      {"add_n", make_add_n, 6},
      {"arithmetic", make_arithmetic, 66},
      {"arrangements", make_arrangements, 48},
      {"batch_matmul", make_batch_matmul, 24},
      {"comparisons", make_comparisons, 32},
      {"control", make_control, 16},
      {"conv_2d", make_conv_2d, 30},
      {"cumsum", make_cumsum, 24},
      {"depthwise_conv_2d", make_depthwise_conv_2d, 25},
      {"elementwise", make_elementwise, 20},
      {"fully_connected", make_fully_connected, 24},
      {"functions", make_functions, 56},
      {"generators", make_generators, 28},
      {"graphs", make_graphs, 16},
      {"movement", make_movement, 54},
      {"pools", make_pools, 28},
      {"reductions", make_reductions, 69},
      {"requantise", make_requantise, 32},
      {"selections", make_selections, 35},
      {"softmax", make_softmax, 24},
      {"svdf", make_svdf, 18},
      {"transpose_conv", make_transpose_conv, 30},
      {"unidirectional_sequence_lstm", make_unidirectional_sequence_lstm, 18},
      {"variables", make_variables, 16},
  };
  return kFamilies;
}

}  // namespace byoc::test
