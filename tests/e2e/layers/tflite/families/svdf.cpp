#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {
namespace {

// The history of one filter of one batch, the newest element last.
template <class T>
using Histories = std::vector<std::vector<T>>;

template <class T>
void push(std::vector<T>& history, T newest) {
  history.erase(history.begin());
  history.push_back(newest);
}

std::int64_t wrapped(std::int64_t sum) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum)); }

float activated(ActivationFunctionType a, float v) {
  return a == ActivationFunctionType::TANH ? std::tanh(v) : activate(a, v);
}

struct SvdfLayer {
  std::size_t batch, depth, units, rank, memory;
  [[nodiscard]] std::size_t filters() const { return units * rank; }
};

std::vector<float> svdf_step(const SvdfLayer& l, const TensorData& x, const TensorData& feature, const TensorData& time,
                             const std::vector<float>& bias, ActivationFunctionType a, Histories<float>& histories) {
  std::vector<float> y;
  for (std::size_t b = 0; b < l.batch; ++b)
    for (std::size_t u = 0; u < l.units; ++u) {
      double total = bias.empty() ? 0 : static_cast<double>(bias[u]);
      for (std::size_t f = u * l.rank; f < (u + 1) * l.rank; ++f) {
        double newest = 0;
        for (std::size_t d = 0; d < l.depth; ++d)
          newest +=
              static_cast<double>(feature.floats[f * l.depth + d]) * static_cast<double>(x.floats[b * l.depth + d]);
        auto& history = histories[b * l.filters() + f];
        push(history, static_cast<float>(newest));
        for (std::size_t m = 0; m < l.memory; ++m)
          total += static_cast<double>(time.floats[f * l.memory + m]) * static_cast<double>(history[m]);
      }
      y.push_back(activated(a, static_cast<float>(total)));
    }
  return y;
}

std::vector<std::int64_t> svdf_step(const SvdfLayer& l, const TensorData& x, const TensorData& feature,
                                    const TensorData& time, const std::vector<std::int64_t>& bias,
                                    const TensorData& state, const TensorData& y_like,
                                    Histories<std::int64_t>& histories) {
  const FixedFactor to_state = fixed_factor(static_cast<double>(x.scale() * feature.scale() / state.scale()));
  const FixedFactor to_y = fixed_factor(static_cast<double>(state.scale() * time.scale() / y_like.scale()));
  std::vector<std::int64_t> y;
  for (std::size_t b = 0; b < l.batch; ++b)
    for (std::size_t u = 0; u < l.units; ++u) {
      std::int64_t total = bias.empty() ? 0 : bias[u];
      for (std::size_t f = u * l.rank; f < (u + 1) * l.rank; ++f) {
        std::int64_t newest = 0;
        for (std::size_t d = 0; d < l.depth; ++d)
          newest += feature.ints[f * l.depth + d] * (x.ints[b * l.depth + d] - x.zero_point());
        auto& history = histories[b * l.filters() + f];
        push(history, clamp_to(state.type, requantise(wrapped(newest), to_state) + state.zero_point()));
        for (std::size_t m = 0; m < l.memory; ++m)
          total += time.ints[f * l.memory + m] * (history[m] - state.zero_point());
      }
      y.push_back(clamp_to(TensorType::INT8, requantise(wrapped(total), to_y) + y_like.zero_point()));
    }
  return y;
}

}  // namespace

// Several operators on one variable tensor: each goes on from what the one before it left.
void make_svdf(TfliteModel& model, Random& random, std::size_t index) {
  using enum TensorType;
  static constexpr TensorType kStates[] = {FLOAT32, INT16, INT8};
  const TensorType state_type = kStates[index % 3];
  const bool is_float = state_type == FLOAT32;
  const TensorType type = is_float ? FLOAT32 : INT8;
  const std::int32_t batch = random.size(1, 3), depth = random.size(1, 20), units = random.size(1, 7);
  const std::int32_t rank = random.size(1, 3), memory = random.size(1, 9), filters = units * rank;
  const SvdfLayer l{static_cast<std::size_t>(batch), static_cast<std::size_t>(depth), static_cast<std::size_t>(units),
                    static_cast<std::size_t>(rank), static_cast<std::size_t>(memory)};
  const auto in_q = random_quantisation(random, type);
  const auto weights = [&](TensorType t, Shape shape) {
    return is_float ? random_data(random, t, std::move(shape), {}, -1, 1)
                    : random_data(random, t, std::move(shape), {{random.scale(1e-3, 0.1)}, {0}, 0});
  };
  const TensorData feature = weights(type, {filters, depth}), time = weights(state_type, {filters, memory});
  TensorData state{state_type, {batch, filters * memory}, {}, {}, {}};
  TensorData y_like{type, {batch, units}, {}, {}, {}};
  std::vector<float> bias;
  std::vector<std::int64_t> bias_ints;
  TensorData bias_data{is_float ? FLOAT32 : INT32, {units}, {}, {}, {}};
  if (!is_float) {
    // The newest element covers the state's range, or more, or little of it.
    const double sum = 128.0 * 128 * std::sqrt(depth);
    const double range = state_type == INT16 ? 32768 : 128;
    state.q = {
        {static_cast<float>(static_cast<double>(in_q.scales[0] * feature.scale()) * sum / range * random.real(0.1, 2))},
        {state_type == INT8 && random.chance(30) ? random.between(-128, 127) : 0},
        0};
    const double total = range * range * std::sqrt(filters / units * memory);
    y_like.q = {
        {static_cast<float>(static_cast<double>(state.scale() * time.scale()) * total / 128 * random.real(0.05, 1))},
        {random.between(-128, 127)},
        0};
    bias_data.q = {{state.scale() * time.scale()}, {0}, 0};
    if (static_cast<double>(bias_data.q.scales[0]) > 1e30) bias_data.q = {};
  }
  const bool has_bias = random.chance(70);
  if (has_bias && is_float) bias_data = random_data(random, FLOAT32, {units}, {}, -1, 1), bias = bias_data.floats;
  if (has_bias && !is_float) {
    const auto q = bias_data.q;
    bias_data = random_data(random, INT32, {units}, q, -100000, 100000), bias_ints = bias_data.ints;
  }
  schema::SVDFOptionsT options;
  options.rank = rank;
  options.fused_activation_function = index % 4 == 3 ? ActivationFunctionType::TANH : random_activation(random);
  model.add_text("state " + std::to_string(index % 3) + ", " + std::to_string(batch) + " x " + std::to_string(depth) +
                 " -> " + std::to_string(units) + ", rank " + std::to_string(rank) + ", memory " +
                 std::to_string(memory));
  const std::int32_t w = model.constant(feature), t = model.constant(time);
  const std::int32_t c = has_bias ? model.constant(bias_data) : -1;
  const std::int32_t v = model.variable(state_type, state.shape, state.q);
  Histories<float> floats(l.batch * l.filters(), std::vector<float>(l.memory));
  Histories<std::int64_t> ints(l.batch * l.filters(), std::vector<std::int64_t>(l.memory, state.zero_point()));
  const int steps = random.size(1, memory + 2);
  for (int i = 0; i < steps; ++i) {
    const TensorData x = is_float ? random_data(random, type, {batch, depth}, {}, -1, 1)
                                  : random_data(random, type, {batch, depth}, in_q);
    TensorData y = y_like;
    if (is_float)
      y.floats = svdf_step(l, x, feature, time, bias, options.fused_activation_function, floats);
    else
      y.ints = svdf_step(l, x, feature, time, bias_ints, state, y_like, ints);
    model.add(BuiltinOperator::SVDF, {model.input(x), w, t, c, v}, {model.output(y, is_float ? 1e-5 : 0)}, options,
              is_float ? 1 : 3);
  }
}

}  // namespace byoc::test
