// RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN, step by step in double.
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Code = BuiltinOperator;

double activate_real(ActivationFunctionType activation, double v) {
  using enum ActivationFunctionType;
  switch (activation) {
    case RELU: return std::max(v, 0.0);
    case RELU6: return std::clamp(v, 0.0, 6.0);
    case RELU_N1_TO_1: return std::clamp(v, -1.0, 1.0);
    case TANH: return std::tanh(v);
    default: return v;
  }
}

ActivationFunctionType random_function(Random& random) {
  using enum ActivationFunctionType;
  return random.pick({NONE, RELU, RELU6, RELU_N1_TO_1, TANH, TANH});
}

struct Sizes {
  std::int32_t batch, steps;
  bool time_major;

  [[nodiscard]] Shape shape(std::int32_t last) const {
    return time_major ? Shape{steps, batch, last} : Shape{batch, steps, last};
  }
  [[nodiscard]] std::size_t row(std::int32_t b, std::int32_t t) const {
    return static_cast<std::size_t>(time_major ? t * batch + b : b * steps + t);
  }
};

struct Weights {
  TensorData w, r, bias, aux;
  std::int32_t ids[4] = {-1, -1, -1, -1};  // of the first three, and the variable
  std::int32_t aux_id = -1;
};

Weights make_weights(TfliteModel& model, Random& random, std::int32_t batch, std::int32_t depth, std::int32_t units,
                     std::int32_t aux_depth) {
  const auto reals = [&](Shape shape) { return random_data(random, FLOAT32, std::move(shape), {}, -0.7, 0.7); };
  Weights out{reals({units, depth}), reals({units, units}), reals({units}), {}};
  out.ids[0] = model.constant(out.w);
  out.ids[1] = model.constant(out.r);
  out.ids[2] = model.constant(out.bias);
  out.ids[3] = model.variable(FLOAT32, {batch, units});
  if (aux_depth > 0) {
    out.aux = reals({units, aux_depth});
    out.aux_id = model.constant(out.aux);
  }
  return out;
}

double dot_row(const TensorData& w, std::size_t row, const float* x) {
  const auto n = static_cast<std::size_t>(w.shape[1]);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(w.floats[row * n + i]) * static_cast<double>(x[i]);
  return sum;
}

// From one end to the other; the first state is 0.
TensorData run(const Sizes& s, const Weights& w, ActivationFunctionType activation, const TensorData& x,
               const TensorData* aux, bool reverse) {
  const auto units = static_cast<std::size_t>(w.bias.shape[0]);
  TensorData y{FLOAT32, s.shape(w.bias.shape[0]), {}, {}, {}};
  y.floats.resize(y.elements());
  const auto of = [&](const TensorData& t, std::size_t row) {
    return t.floats.data() + row * static_cast<std::size_t>(t.shape[2]);
  };
  for (std::int32_t b = 0; b < s.batch; ++b) {
    std::vector<float> h(units);
    for (std::int32_t i = 0; i < s.steps; ++i) {
      const std::size_t row = s.row(b, reverse ? s.steps - 1 - i : i);
      std::vector<float> next(units);
      for (std::size_t u = 0; u < units; ++u) {
        double sum = static_cast<double>(w.bias.floats[u]) + dot_row(w.w, u, of(x, row)) + dot_row(w.r, u, h.data());
        if (aux != nullptr) sum += dot_row(w.aux, u, of(*aux, row));
        next[u] = static_cast<float>(activate_real(activation, sum));
      }
      h = next;
      std::copy(h.begin(), h.end(), y.floats.begin() + static_cast<std::ptrdiff_t>(row * units));
    }
  }
  return y;
}

constexpr double kTolerance = 2e-5;

void rnn(TfliteModel& model, Random& random) {
  const Sizes s{random.size(1, 4), 1, false};
  const std::int32_t depth = random.size(1, 12), units = random.size(1, 9);
  const Weights w = make_weights(model, random, s.batch, depth, units, 0);
  schema::RNNOptionsT options;
  options.fused_activation_function = random_function(random);
  TensorData x = random_data(random, FLOAT32, s.shape(depth), {}, -1, 1);
  TensorData y = run(s, w, options.fused_activation_function, x, nullptr, false);
  x.shape = {s.batch, depth};
  y.shape = {s.batch, units};
  model.add(Code::RNN, {model.input(x), w.ids[0], w.ids[1], w.ids[2], w.ids[3]}, {model.output(y, kTolerance)},
            options);
}

void unidirectional(TfliteModel& model, Random& random) {
  const Sizes s{random.size(1, 3), random.size(1, 6), random.chance(50)};
  const std::int32_t depth = random.size(1, 12), units = random.size(1, 9);
  const Weights w = make_weights(model, random, s.batch, depth, units, 0);
  schema::SequenceRNNOptionsT options;
  options.time_major = s.time_major;
  options.fused_activation_function = random_function(random);
  const TensorData x = random_data(random, FLOAT32, s.shape(depth), {}, -1, 1);
  const TensorData y = run(s, w, options.fused_activation_function, x, nullptr, false);
  model.add(Code::UNIDIRECTIONAL_SEQUENCE_RNN, {model.input(x), w.ids[0], w.ids[1], w.ids[2], w.ids[3]},
            {model.output(y, kTolerance)}, options);
}

void bidirectional(TfliteModel& model, Random& random) {
  const Sizes s{random.size(1, 3), random.size(1, 6), random.chance(50)};
  const std::int32_t depth = random.size(1, 8), first = random.size(1, 7), second = random.size(1, 7);
  // 0: one operand; 1: another one for the layer from the end; 2: another one for both.
  const std::int32_t form = random.size(0, 2), aux_depth = form == 1 ? depth : random.size(1, 5);
  const Weights forward = make_weights(model, random, s.batch, depth, first, form == 2 ? aux_depth : 0),
                backward = make_weights(model, random, s.batch, depth, second, form == 2 ? aux_depth : 0);
  schema::BidirectionalSequenceRNNOptionsT options;
  options.time_major = s.time_major;
  options.fused_activation_function = random_function(random);
  options.merge_outputs = random.chance(50);
  const TensorData x = random_data(random, FLOAT32, s.shape(depth), {}, -1, 1),
                   aux = random_data(random, FLOAT32, s.shape(aux_depth), {}, -1, 1);
  const auto activation = options.fused_activation_function;
  const TensorData a = run(s, forward, activation, x, form == 2 ? &aux : nullptr, false),
                   b = run(s, backward, activation, form == 1 ? aux : x, form == 2 ? &aux : nullptr, true);
  std::vector<std::int32_t> inputs = {model.input(x)};
  for (const Weights* w : {&forward, &backward}) inputs.insert(inputs.end(), std::begin(w->ids), std::end(w->ids));
  inputs.insert(inputs.end(), {form == 0 ? -1 : model.input(aux), forward.aux_id, backward.aux_id});
  std::vector<std::int32_t> outputs;
  if (options.merge_outputs) {
    TensorData y{FLOAT32, s.shape(first + second), {}, {}, {}};
    for (std::int32_t row = 0; row < s.batch * s.steps; ++row) {
      y.floats.insert(y.floats.end(), a.floats.begin() + row * first, a.floats.begin() + (row + 1) * first);
      y.floats.insert(y.floats.end(), b.floats.begin() + row * second, b.floats.begin() + (row + 1) * second);
    }
    outputs = {model.output(y, kTolerance)};
  } else {
    outputs = {model.output(a, kTolerance), model.output(b, kTolerance)};
  }
  model.add_text("form " + std::to_string(form));
  model.add(Code::BIDIRECTIONAL_SEQUENCE_RNN, inputs, outputs, options);
}

struct RnnVariant {
  const char* name;
  void (*make)(TfliteModel&, Random&);
};
constexpr RnnVariant kRnnVariants[] = {
    {"RNN", rnn}, {"UNIDIRECTIONAL_SEQUENCE_RNN", unidirectional}, {"BIDIRECTIONAL_SEQUENCE_RNN", bidirectional}};

}  // namespace

void make_rnn(TfliteModel& model, Random& random, std::size_t index) {
  const RnnVariant& v = kRnnVariants[index % std::size(kRnnVariants)];
  model.add_text(v.name);
  v.make(model, random);
}

}  // namespace byoc::test
