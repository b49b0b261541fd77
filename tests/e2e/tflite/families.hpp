// Every family of the sweep, in files of families/.
#pragma once

#include <span>

#include "tests/e2e/tflite/sweep.hpp"

namespace byoc::test {

[[nodiscard]] std::span<const Family> families();

void make_activations(Sweep&, Random&, std::size_t index);
void make_add_n(Sweep&, Random&, std::size_t index);
void make_arithmetic(Sweep&, Random&, std::size_t index);
void make_arrangements(Sweep&, Random&, std::size_t index);
void make_batch_matmul(Sweep&, Random&, std::size_t index);
void make_comparisons(Sweep&, Random&, std::size_t index);
void make_control(Sweep&, Random&, std::size_t index);
void make_conv_2d(Sweep&, Random&, std::size_t index);
void make_cumsum(Sweep&, Random&, std::size_t index);
void make_depthwise_conv_2d(Sweep&, Random&, std::size_t index);
void make_elementwise(Sweep&, Random&, std::size_t index);
void make_fully_connected(Sweep&, Random&, std::size_t index);
void make_functions(Sweep&, Random&, std::size_t index);
void make_generators(Sweep&, Random&, std::size_t index);
void make_graphs(Sweep&, Random&, std::size_t index);
void make_movement(Sweep&, Random&, std::size_t index);
void make_pools(Sweep&, Random&, std::size_t index);
void make_reductions(Sweep&, Random&, std::size_t index);
void make_requantise(Sweep&, Random&, std::size_t index);
void make_selections(Sweep&, Random&, std::size_t index);
void make_softmax(Sweep&, Random&, std::size_t index);
void make_svdf(Sweep&, Random&, std::size_t index);
void make_transpose_conv(Sweep&, Random&, std::size_t index);
void make_unidirectional_sequence_lstm(Sweep&, Random&, std::size_t index);
void make_variables(Sweep&, Random&, std::size_t index);

}  // namespace byoc::test
