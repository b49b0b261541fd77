// Every family of TFLite operators, in files of families/.
#pragma once

#include "tests/e2e/layers/tflite/tflite_model.hpp"

namespace byoc::test {

void make_activations(TfliteModel&, Random&, std::size_t index);
void make_add_n(TfliteModel&, Random&, std::size_t index);
void make_arithmetic(TfliteModel&, Random&, std::size_t index);
void make_arrangements(TfliteModel&, Random&, std::size_t index);
void make_batch_matmul(TfliteModel&, Random&, std::size_t index);
void make_bidirectional_sequence_lstm(TfliteModel&, Random&, std::size_t index);
void make_comparisons(TfliteModel&, Random&, std::size_t index);
void make_control(TfliteModel&, Random&, std::size_t index);
void make_conv_2d(TfliteModel&, Random&, std::size_t index);
void make_conv_2d_few_bits(TfliteModel&, Random&, std::size_t index);
void make_cumsum(TfliteModel&, Random&, std::size_t index);
void make_depthwise_conv_2d(TfliteModel&, Random&, std::size_t index);
void make_depthwise_conv_2d_few_bits(TfliteModel&, Random&, std::size_t index);
void make_elementwise(TfliteModel&, Random&, std::size_t index);
void make_fully_connected(TfliteModel&, Random&, std::size_t index);
void make_fully_connected_few_bits(TfliteModel&, Random&, std::size_t index);
void make_functions(TfliteModel&, Random&, std::size_t index);
void make_generators(TfliteModel&, Random&, std::size_t index);
void make_graphs(TfliteModel&, Random&, std::size_t index);
void make_intervals(TfliteModel&, Random&, std::size_t index);
void make_landmarks(TfliteModel&, Random&, std::size_t index);
void make_movement(TfliteModel&, Random&, std::size_t index);
void make_pools(TfliteModel&, Random&, std::size_t index);
void make_reductions(TfliteModel&, Random&, std::size_t index);
void make_requantise(TfliteModel&, Random&, std::size_t index);
void make_rnn(TfliteModel&, Random&, std::size_t index);
void make_segments(TfliteModel&, Random&, std::size_t index);
void make_selected(TfliteModel&, Random&, std::size_t index);
void make_selections(TfliteModel&, Random&, std::size_t index);
void make_signal(TfliteModel&, Random&, std::size_t index);
void make_signal_streams(TfliteModel&, Random&, std::size_t index);
void make_softmax(TfliteModel&, Random&, std::size_t index);
void make_svdf(TfliteModel&, Random&, std::size_t index);
void make_transpose_conv(TfliteModel&, Random&, std::size_t index);
void make_unidirectional_sequence_lstm(TfliteModel&, Random&, std::size_t index);
void make_variables(TfliteModel&, Random&, std::size_t index);
void make_volumes(TfliteModel&, Random&, std::size_t index);

}  // namespace byoc::test
