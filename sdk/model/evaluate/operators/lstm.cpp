// LSTM: gates i, o, f, c in this order; peepholes from the cell to i, o and f.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/recurrent.hpp"

namespace byoc::evaluate {

Outcome lstm(const Call& call) {
  const bool coupled = call.node.integer("input_forget", 0) != 0;
  return run_recurrent(
      call, 4, {"Sigmoid", "Tanh", "Tanh"}, true, [coupled](const Direction& d, const double* x, Vector& h, Vector& c) {
        const Activation& f = d.functions[0];
        const Activation& g = d.functions[1];
        const Activation& out = d.functions[2];
        Vector next_h, next_c;
        for (std::int64_t j = 0; j < d.hidden; ++j) {
          const double cell = c[static_cast<std::size_t>(j)];
          auto gate = [&](std::int64_t k) { return d.of_input(k, j, x) + d.of_state(k, j, h) + d.biases(k, j); };
          const double input = f(gate(0) + d.peephole[j] * cell);
          const double forget = coupled ? 1 - input : f(gate(2) + d.peephole[2 * d.hidden + j] * cell);
          const double next = forget * cell + input * g(gate(3));
          const double output = f(gate(1) + d.peephole[d.hidden + j] * next);
          next_c.push_back(next);
          next_h.push_back(output * out(next));
        }
        h = next_h;
        c = next_c;
      });
}

}  // namespace byoc::evaluate
