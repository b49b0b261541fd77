// Multiply-accumulates of operators, from the shapes of a node's operands and results. A formula gives 0 where they are
// not all known or do not fit. They are those that a backend's steps state; tests/unit/backend_c/macs_test.cpp
// compares.
#pragma once

#include <cstdint>

#include "sdk/model/ir/graph.hpp"

namespace byoc::ir {

std::uint64_t no_macs(const Graph&, const Node&);
std::uint64_t conv_macs(const Graph&, const Node&);          // filter at input 1
std::uint64_t qlinear_conv_macs(const Graph&, const Node&);  // filter at input 3
std::uint64_t conv_transpose_macs(const Graph&, const Node&);
std::uint64_t gemm_macs(const Graph&, const Node&);
std::uint64_t matmul_macs(const Graph&, const Node&);
std::uint64_t batch_matmul_macs(const Graph&, const Node&);
std::uint64_t fully_connected_macs(const Graph&, const Node&);
std::uint64_t einsum_macs(const Graph&, const Node&);
std::uint64_t recurrent_macs(const Graph&, const Node&);      // LSTM, GRU, RNN
std::uint64_t sequence_lstm_macs(const Graph&, const Node&);  // byoc.UnidirectionalSequenceLstm
std::uint64_t svdf_macs(const Graph&, const Node&);

}  // namespace byoc::ir
