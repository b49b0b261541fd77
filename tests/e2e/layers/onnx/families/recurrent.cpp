// RNN, GRU and LSTM, step by step in double.
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/floats.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

struct Recurrence {
  std::string op;
  std::int32_t gates, steps, batch, width, hidden, directions;
  bool reverse = false, linear_before_reset = false, couples = false;
  double clip = 0;  // 0: none
  TensorData x, w, r, b, p, h, c, lengths;
};

using Row = std::vector<double>;

double clipped(const Recurrence& n, double v) { return n.clip == 0 ? v : std::clamp(v, -n.clip, n.clip); }

// What one gate of a unit makes of the inputs, and of what was before.
double from_input(const Recurrence& n, std::int32_t d, std::int32_t row, std::int32_t t, std::int32_t batch) {
  double sum = at(n.b, {d, row});
  for (std::int32_t i = 0; i < n.width; ++i) sum += at(n.w, {d, row, i}) * at(n.x, {t, batch, i});
  return sum;
}
double from_state(const Recurrence& n, std::int32_t d, std::int32_t row, const Row& h) {
  double sum = at(n.b, {d, n.gates * n.hidden + row});
  for (std::int32_t i = 0; i < n.hidden; ++i) sum += at(n.r, {d, row, i}) * h[static_cast<std::size_t>(i)];
  return sum;
}

void recurrent_step(const Recurrence& n, std::int32_t d, std::int32_t t, std::int32_t batch, Row& h, Row& c) {
  const auto gate = [&](std::int32_t which, std::int32_t u) {
    return from_input(n, d, which * n.hidden + u, t, batch) + from_state(n, d, which * n.hidden + u, h);
  };
  Row next = h, cells = c, reset(h.size());
  if (n.op == "GRU")
    for (std::int32_t u = 0; u < n.hidden; ++u) {
      const auto at_u = static_cast<std::size_t>(u);
      reset[at_u] = sigmoid(clipped(n, gate(1, u)));
    }
  Row remembered = h;
  for (std::size_t u = 0; u < h.size(); ++u) remembered[u] *= reset[u];
  for (std::int32_t u = 0; u < n.hidden; ++u) {
    const auto i = static_cast<std::size_t>(u);
    if (n.op == "RNN") {
      next[i] = std::tanh(clipped(n, gate(0, u)));
    } else if (n.op == "GRU") {
      const double z = sigmoid(clipped(n, gate(0, u)));
      const std::int32_t row = 2 * n.hidden + u;
      const double state =
          n.linear_before_reset ? reset[i] * from_state(n, d, row, h) : from_state(n, d, row, remembered);
      next[i] = (1 - z) * std::tanh(clipped(n, from_input(n, d, row, t, batch) + state)) + z * h[i];
    } else {
      const auto peep = [&](std::int32_t which, double cell) {
        return n.p.floats.empty() ? 0 : at(n.p, {d, which * n.hidden + u}) * cell;
      };
      const double in = sigmoid(clipped(n, gate(0, u) + peep(0, c[i])));
      const double forget = n.couples ? 1 - in : sigmoid(clipped(n, gate(2, u) + peep(2, c[i])));
      cells[i] = forget * c[i] + in * std::tanh(clipped(n, gate(3, u)));
      next[i] = sigmoid(clipped(n, gate(1, u) + peep(1, cells[i]))) * std::tanh(clipped(n, cells[i]));
    }
  }
  h = next;
  c = cells;
}

std::int32_t length_of(const Recurrence& n, std::int32_t batch) {
  return n.lengths.ints.empty() ? n.steps : static_cast<std::int32_t>(n.lengths.ints[static_cast<std::size_t>(batch)]);
}

// Y, Y_h and, of LSTM, Y_c.
std::vector<TensorData> results(const Recurrence& n) {
  std::vector<TensorData> out = {zeros({n.steps, n.directions, n.batch, n.hidden}),
                                 zeros({n.directions, n.batch, n.hidden})};
  if (n.op == "LSTM") out.push_back(out[1]);
  for (std::int32_t d = 0; d < n.directions; ++d)
    for (std::int32_t batch = 0; batch < n.batch; ++batch) {
      Row h, c;
      for (std::int32_t u = 0; u < n.hidden; ++u) {
        h.push_back(n.h.floats.empty() ? 0 : at(n.h, {d, batch, u}));
        c.push_back(n.c.floats.empty() ? 0 : at(n.c, {d, batch, u}));
      }
      const std::int32_t length = length_of(n, batch);
      const bool backwards = n.reverse || d == 1;
      for (std::int32_t k = 0; k < length; ++k) {
        const std::int32_t t = backwards ? length - 1 - k : k;
        recurrent_step(n, d, t, batch, h, c);
        for (std::int32_t u = 0; u < n.hidden; ++u)
          element(out[0], {t, d, batch, u}) = static_cast<float>(h[static_cast<std::size_t>(u)]);
      }
      for (std::int32_t u = 0; u < n.hidden; ++u) {
        element(out[1], {d, batch, u}) = static_cast<float>(h[static_cast<std::size_t>(u)]);
        if (n.op == "LSTM") element(out[2], {d, batch, u}) = static_cast<float>(c[static_cast<std::size_t>(u)]);
      }
    }
  return out;
}

Recurrence random_recurrence(Random& random, const std::string& op) {
  Recurrence n;
  n.op = op;
  n.gates = op == "RNN" ? 1 : op == "GRU" ? 3 : 4;
  n.steps = random.size(1, 5);
  n.batch = random.size(1, 3);
  n.width = random.size(1, 9);
  n.hidden = random.chance(25) ? random.size(10, 40) : random.size(1, 9);
  n.directions = random.chance(40) ? 2 : 1;
  n.reverse = n.directions == 1 && random.chance(40);
  n.linear_before_reset = op == "GRU" && random.chance(50);
  n.couples = op == "LSTM" && random.chance(30);
  n.clip = random.chance(30) ? 0.75 : 0;
  n.x = floats(random, {n.steps, n.batch, n.width});
  n.w = floats(random, {n.directions, n.gates * n.hidden, n.width}, -1, 1);
  n.r = floats(random, {n.directions, n.gates * n.hidden, n.hidden}, -1, 1);
  const bool has_bias = random.chance(70), starts = random.chance(50);
  n.b = has_bias ? floats(random, {n.directions, 2 * n.gates * n.hidden}, -1, 1)
                 : zeros({n.directions, 2 * n.gates * n.hidden});
  if (op == "LSTM" && random.chance(40)) n.p = floats(random, {n.directions, 3 * n.hidden}, -1, 1);
  if (starts) n.h = floats(random, {n.directions, n.batch, n.hidden}, -1, 1);
  if (starts && op == "LSTM") n.c = floats(random, {n.directions, n.batch, n.hidden}, -1, 1);
  if (random.chance(50)) {
    n.lengths = {INT32, {n.batch}, {}, {}, {}};
    for (std::int32_t b = 0; b < n.batch; ++b) n.lengths.ints.push_back(random.between(1, n.steps));
  }
  return n;
}

}  // namespace

void make_onnx_recurrent(OnnxModel& model, Random& random, std::size_t index) {
  static constexpr const char* kOperators[] = {"GRU", "LSTM", "RNN"};
  const Recurrence n = random_recurrence(random, kOperators[index % std::size(kOperators)]);
  model.add_text(n.op +
                 (n.directions == 2 ? " bidirectional"
                  : n.reverse       ? " reverse"
                                    : "") +
                 (n.lengths.ints.empty() ? "" : " lengths") + (n.clip != 0 ? " clip" : ""));
  const auto given = [&](const TensorData& t) { return t.floats.empty() ? std::string() : model.input(t); };
  OnnxModel::Names inputs = {model.input(n.x), model.constant(n.w), model.constant(n.r), model.constant(n.b)};
  inputs.push_back(n.lengths.ints.empty() ? "" : model.input(n.lengths));
  inputs.push_back(given(n.h));
  if (n.op == "LSTM") inputs.push_back(given(n.c));
  if (n.op == "LSTM" && !n.p.floats.empty()) inputs.push_back(model.constant(n.p));
  OnnxModel::Names outputs;
  for (const TensorData& t : results(n)) outputs.push_back(model.output(t, kFloats));
  auto& node = model.node(n.op, inputs, outputs);
  set(node, "hidden_size", std::int64_t{n.hidden});
  set(node, "direction", n.directions == 2 ? "bidirectional" : n.reverse ? "reverse" : "forward");
  if (n.linear_before_reset) set(node, "linear_before_reset", std::int64_t{1});
  if (n.couples) set(node, "input_forget", std::int64_t{1});
  if (n.clip != 0) set(node, "clip", static_cast<float>(n.clip));
}

}  // namespace byoc::test
