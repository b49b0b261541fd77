// Helpers of RNN, GRU and LSTM: operands, directions, activations, the loop over time.
#pragma once

#include <functional>
#include <vector>

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

using Activation = std::function<double(double)>;
using Vector = std::vector<double>;

// One direction's view of the operands. The W and R of gate g are rows [g * hidden, (g + 1) * hidden).
struct Direction {
  std::int64_t input = 0, hidden = 0;
  const double* w = nullptr;          // [gates * hidden, input]
  const double* r = nullptr;          // [gates * hidden, hidden]
  const double* w_bias = nullptr;     // [gates * hidden]
  const double* r_bias = nullptr;     // [gates * hidden]
  const double* peephole = nullptr;   // [3 * hidden], LSTM
  std::vector<Activation> functions;  // clipping their argument

  // Element `j` of gate `g`: x * W^T, and h * R^T; without biases.
  [[nodiscard]] double of_input(std::int64_t g, std::int64_t j, const double* x) const;
  [[nodiscard]] double of_state(std::int64_t g, std::int64_t j, const Vector& h) const;
  [[nodiscard]] double biases(std::int64_t g, std::int64_t j) const {
    return w_bias[g * hidden + j] + r_bias[g * hidden + j];
  }
};

// One time step: updates h, and for an LSTM c, from x.
using Cell = std::function<void(const Direction&, const double* x, Vector& h, Vector& c)>;

// Runs `cell` over all sequences. `gates` in W and R; functions_per_direction with their default names.
Outcome run_recurrent(const Call& call, std::int64_t gates, std::vector<std::string> default_functions, bool has_cell,
                      const Cell& cell);

}  // namespace byoc::evaluate
