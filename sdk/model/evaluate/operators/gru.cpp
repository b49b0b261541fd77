// GRU: gates z (update), r (reset) and the candidate h.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/recurrent.hpp"

namespace byoc::evaluate {

Outcome gru(const Call& call) {
  const bool reset_after = call.node.integer("linear_before_reset", 0) != 0;
  return run_recurrent(call, 3, {"Sigmoid", "Tanh"}, false,
                       [reset_after](const Direction& d, const double* x, Vector& h, Vector&) {
                         const Activation& f = d.functions[0];
                         const Activation& g = d.functions[1];
                         Vector z, r, reset, next;
                         for (std::int64_t j = 0; j < d.hidden; ++j) {
                           z.push_back(f(d.of_input(0, j, x) + d.of_state(0, j, h) + d.biases(0, j)));
                           r.push_back(f(d.of_input(1, j, x) + d.of_state(1, j, h) + d.biases(1, j)));
                           reset.push_back(r.back() * h[static_cast<std::size_t>(j)]);
                         }
                         for (std::int64_t j = 0; j < d.hidden; ++j) {
                           const auto i = static_cast<std::size_t>(j);
                           const double r_bias = d.r_bias[2 * d.hidden + j];
                           const double of_state =
                               reset_after ? r[i] * (d.of_state(2, j, h) + r_bias) : d.of_state(2, j, reset) + r_bias;
                           const double candidate = g(d.of_input(2, j, x) + of_state + d.w_bias[2 * d.hidden + j]);
                           next.push_back((1 - z[i]) * candidate + z[i] * h[i]);
                         }
                         h = next;
                       });
}

}  // namespace byoc::evaluate
