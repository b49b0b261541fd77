// BIDIRECTIONAL_SEQUENCE_LSTM, step by step in double.
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

// One direction: four gates, input, forget, cell and output.
struct Direction {
  std::array<TensorData, 4> w, r, bias, aux;
  std::int32_t units = 0;
};

Direction random_direction(Random& random, std::int32_t depth, std::int32_t aux_depth) {
  const auto reals = [&](Shape shape) { return random_data(random, FLOAT32, std::move(shape), {}, -1, 1); };
  Direction d;
  d.units = random.size(1, 6);
  for (std::size_t k = 0; k < 4; ++k) {
    d.w[k] = reals({d.units, depth});
    d.r[k] = reals({d.units, d.units});
    d.bias[k] = reals({d.units});
    if (aux_depth > 0) d.aux[k] = reals({d.units, aux_depth});
  }
  return d;
}

double dot_product(const TensorData& w, std::size_t row, const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(w.floats[row * x.size() + i]) * x[i];
  return sum;
}

std::vector<double> row_of(const TensorData& t, std::size_t row) {
  const auto n = static_cast<std::size_t>(t.shape.back());
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(static_cast<double>(t.floats[row * n + i]));
  return out;
}

struct Run {
  std::int32_t batch, steps;
  bool time_major;
  double clip;

  [[nodiscard]] Shape shape(std::int32_t last) const {
    return time_major ? Shape{steps, batch, last} : Shape{batch, steps, last};
  }
};

TensorData results(const Run& run, const Direction& d, const TensorData& x, const TensorData* aux, bool reverse) {
  TensorData y{FLOAT32, run.shape(d.units), {}, {}, {}};
  y.floats.resize(y.elements());
  const auto units = static_cast<std::size_t>(d.units);
  for (std::int32_t b = 0; b < run.batch; ++b) {
    std::vector<double> h(units), c(units);
    for (std::int32_t i = 0; i < run.steps; ++i) {
      const std::int32_t t = reverse ? run.steps - 1 - i : i;
      const auto row = static_cast<std::size_t>(run.time_major ? t * run.batch + b : b * run.steps + t);
      std::vector<double> next(units);
      for (std::size_t u = 0; u < units; ++u) {
        std::array<double, 4> gate{};
        for (std::size_t k = 0; k < 4; ++k) {
          double sum = dot_product(d.w[k], u, row_of(x, row)) + dot_product(d.r[k], u, h) +
                       static_cast<double>(d.bias[k].floats[u]);
          if (aux != nullptr) sum += dot_product(d.aux[k], u, row_of(*aux, row));
          gate[k] = k == 2 ? std::tanh(sum) : 1 / (1 + std::exp(-sum));
        }
        c[u] = gate[1] * c[u] + gate[0] * gate[2];
        if (run.clip > 0) c[u] = std::clamp(c[u], -run.clip, run.clip);
        next[u] = gate[3] * std::tanh(c[u]);
        y.floats[row * units + u] = static_cast<float>(next[u]);
      }
      h = next;
    }
  }
  return y;
}

// The inputs of a direction, from `first` on, and its two variable tensors.
void place_inputs(TfliteModel& model, std::vector<std::int32_t>& inputs, const Direction& d, bool reverse,
                  std::int32_t batch) {
  const std::size_t first = reverse ? 18 : 1;
  for (std::size_t k = 0; k < 4; ++k) {
    inputs[first + k] = model.constant(d.w[k]);
    inputs[first + 4 + k] = model.constant(d.r[k]);
    inputs[first + 11 + k] = model.constant(d.bias[k]);
    if (!d.aux[k].floats.empty()) inputs[(reverse ? 44U : 40U) + k] = model.constant(d.aux[k]);
  }
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    inputs[(reverse ? 37U : 35U) + i] = model.variable(FLOAT32, {batch, d.units});
}

}  // namespace

void make_bidirectional_sequence_lstm(TfliteModel& model, Random& random, std::size_t index) {
  constexpr double kTolerance = 2e-5;
  // 0: one operand; 1: another one for the layer from the end; 2: another one for both.
  const std::size_t form = index % 3;
  const float clip = random.chance(40) ? static_cast<float>(random.real(0.05, 2)) : 0;
  const Run run{random.size(1, 3), random.size(1, 5), random.chance(50), static_cast<double>(clip)};
  const std::int32_t depth = random.size(1, 8), aux_depth = form == 1 ? depth : random.size(1, 5);
  const Direction forward = random_direction(random, depth, form == 2 ? aux_depth : 0),
                  backward = random_direction(random, depth, form == 2 ? aux_depth : 0);
  const TensorData x = random_data(random, FLOAT32, run.shape(depth), {}, -1, 1),
                   aux = random_data(random, FLOAT32, run.shape(aux_depth), {}, -1, 1);
  const TensorData a = results(run, forward, x, form == 2 ? &aux : nullptr, false),
                   b = results(run, backward, form == 1 ? aux : x, form == 2 ? &aux : nullptr, true);
  std::vector<std::int32_t> inputs(48, -1);
  inputs[0] = model.input(x);
  place_inputs(model, inputs, forward, false, run.batch);
  place_inputs(model, inputs, backward, true, run.batch);
  if (form != 0) inputs[39] = model.input(aux);
  schema::BidirectionalSequenceLSTMOptionsT options;
  options.fused_activation_function = ActivationFunctionType::TANH;
  options.cell_clip = clip;
  options.time_major = run.time_major;
  options.merge_outputs = random.chance(50);
  std::vector<std::int32_t> outputs;
  if (options.merge_outputs) {
    TensorData y{FLOAT32, run.shape(forward.units + backward.units), {}, {}, {}};
    for (std::int32_t row = 0; row < run.batch * run.steps; ++row) {
      y.floats.insert(y.floats.end(), a.floats.begin() + row * forward.units,
                      a.floats.begin() + (row + 1) * forward.units);
      y.floats.insert(y.floats.end(), b.floats.begin() + row * backward.units,
                      b.floats.begin() + (row + 1) * backward.units);
    }
    outputs = {model.output(y, kTolerance)};
  } else {
    outputs = {model.output(a, kTolerance), model.output(b, kTolerance)};
  }
  model.add_text("form " + std::to_string(form) + (run.time_major ? ", time major" : ""));
  model.add(BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM, inputs, outputs, options);
}

}  // namespace byoc::test
