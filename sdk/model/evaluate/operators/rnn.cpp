// RNN: h = f(x * W^T + h * R^T + biases).
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/recurrent.hpp"

namespace byoc::evaluate {

Outcome rnn(const Call& call) {
  return run_recurrent(call, 1, {"Tanh"}, false, [](const Direction& d, const double* x, Vector& h, Vector&) {
    Vector next;
    for (std::int64_t j = 0; j < d.hidden; ++j)
      next.push_back(d.functions[0](d.of_input(0, j, x) + d.of_state(0, j, h) + d.biases(0, j)));
    h = next;
  });
}

}  // namespace byoc::evaluate
