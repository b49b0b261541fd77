#include "tests/e2e/layers/tflite/families.hpp"

namespace byoc::test {

std::vector<Family> tflite_families() {
  return {
      family("activations", make_activations, 20),
      family("add_n", make_add_n, 6),
      family("arithmetic", make_arithmetic, 68),
      family("arrangements", make_arrangements, 48),
      family("batch_matmul", make_batch_matmul, 24),
      family("bidirectional_sequence_lstm", make_bidirectional_sequence_lstm, 18),
      family("comparisons", make_comparisons, 40),
      family("control", make_control, 16),
      family("conv_2d", make_conv_2d, 30),
      family("conv_2d_few_bits", make_conv_2d_few_bits, 24),
      family("cumsum", make_cumsum, 24),
      family("depthwise_conv_2d", make_depthwise_conv_2d, 25),
      family("depthwise_conv_2d_few_bits", make_depthwise_conv_2d_few_bits, 24),
      family("elementwise", make_elementwise, 25),
      family("fully_connected", make_fully_connected, 24),
      family("fully_connected_few_bits", make_fully_connected_few_bits, 24),
      family("functions", make_functions, 58),
      family("generators", make_generators, 28),
      family("graphs", make_graphs, 16),
      family("intervals", make_intervals, 36),
      family("landmarks", make_landmarks, 24),
      family("movement", make_movement, 57),
      family("pools", make_pools, 28),
      family("reductions", make_reductions, 69),
      family("requantise", make_requantise, 32),
      family("rnn", make_rnn, 24),
      family("segments", make_segments, 36),
      family("selected", make_selected, 32),
      family("selections", make_selections, 35),
      family("signal", make_signal, 56),
      family("signal_streams", make_signal_streams, 36),
      family("softmax", make_softmax, 24),
      family("svdf", make_svdf, 18),
      family("transpose_conv", make_transpose_conv, 30),
      family("unidirectional_sequence_lstm", make_unidirectional_sequence_lstm, 18),
      family("variables", make_variables, 16),
      family("volumes", make_volumes, 24),
  };
}

}  // namespace byoc::test
