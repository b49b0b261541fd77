#include <algorithm>
#include <array>
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/fixed_functions.hpp"
#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {
namespace {

// sigmoid(x / (3 * 4096)) in 1 / 32768: linear between entries that are 512 apart, rounded to nearest.
std::int64_t sigmoid_table_at(std::int64_t x) {
  const std::int64_t m = std::abs(x), i = m / 512;
  // 16 bits of the entry and 9 of the position make 25 fraction bits.
  const std::int64_t y = i >= 255 ? std::int64_t{0x7fff} << 10
                                  : sigmoid_entry(i) * 512 + (m % 512) * (sigmoid_entry(i + 1) - sigmoid_entry(i));
  return x >= 0 ? (y + 512) >> 10 : ((std::int64_t{1} << 25) - y + 511) >> 10;
}

// tanh(x) = 2 sigmoid(2 x) - 1: entries are 256 apart.
std::int64_t tanh_table_at(std::int64_t x) {
  const std::int64_t m = std::abs(x), i = m / 256;
  const std::int64_t s = i >= 255 ? std::int64_t{0xffff} << 8
                                  : sigmoid_entry(i) * 256 + (m % 256) * (sigmoid_entry(i + 1) - sigmoid_entry(i));
  const std::int64_t y = s - (std::int64_t{1} << 23);
  return x >= 0 ? (y + 128) >> 8 : (-y + 127) >> 8;
}

enum : std::size_t { kInput, kForget, kCandidate, kOutput };

struct LstmLayer {
  std::size_t depth, units;
  std::array<TensorData, 4> w, r, bias;
  float clip = 0;
};

// One batch's state.
template <class T>
struct State {
  std::vector<T> hidden, cell;
};

template <class T>
const std::vector<T>& values(const TensorData& t) {
  if constexpr (std::is_same_v<T, float>)
    return t.floats;
  else
    return t.ints;
}

// Input product with bias, recurrent product, of gate k and unit u.
template <class T, class Sum>
std::pair<Sum, Sum> products(const LstmLayer& l, std::size_t k, std::size_t u, const T* x, Sum x_zero,
                             const std::vector<T>& hidden, Sum hidden_zero) {
  Sum of_x = static_cast<Sum>(values<T>(l.bias[k])[u]), of_h = 0;
  for (std::size_t d = 0; d < l.depth; ++d)
    of_x += static_cast<Sum>(values<T>(l.w[k])[u * l.depth + d]) * (static_cast<Sum>(x[d]) - x_zero);
  for (std::size_t d = 0; d < l.units; ++d)
    of_h += static_cast<Sum>(values<T>(l.r[k])[u * l.units + d]) * (static_cast<Sum>(hidden[d]) - hidden_zero);
  return {of_x, of_h};
}

void lstm_step(const LstmLayer& l, const float* x, State<float>& s) {
  const std::vector<float> hidden = s.hidden;
  for (std::size_t u = 0; u < l.units; ++u) {
    std::array<double, 4> gate{};
    for (std::size_t k = 0; k < 4; ++k) {
      const auto [of_x, of_h] = products<float, double>(l, k, u, x, 0, hidden, 0);
      gate[k] = k == kCandidate ? std::tanh(of_x + of_h) : 1 / (1 + std::exp(-of_x - of_h));
    }
    double cell = gate[kForget] * static_cast<double>(s.cell[u]) + gate[kInput] * gate[kCandidate];
    if (l.clip > 0) cell = std::clamp(cell, -static_cast<double>(l.clip), static_cast<double>(l.clip));
    s.cell[u] = static_cast<float>(cell);
    s.hidden[u] = static_cast<float>(gate[kOutput] * std::tanh(cell));
  }
}

struct Scales {
  const TensorData &x, &hidden;
  float cell;
  int cell_power;
};

std::int64_t to_gate(const TensorData& x, const TensorData& w, std::int64_t sum) {
  const FixedFactor f = fixed_factor(static_cast<double>(x.scale() * w.scale()) * 4096);
  if (x.type == TensorType::INT16) return clamp_to(TensorType::INT16, requantise_wide(sum, f));
  return clamp_to(TensorType::INT16, requantise(static_cast<std::int32_t>(sum), f));
}

void lstm_step(const LstmLayer& l, const Scales& q, const std::int64_t* x, State<std::int64_t>& s) {
  using enum TensorType;
  const std::vector<std::int64_t> hidden = s.hidden;
  const double cell_scale = static_cast<double>(q.cell);
  for (std::size_t u = 0; u < l.units; ++u) {
    std::array<std::int64_t, 4> gate{};
    for (std::size_t k = 0; k < 4; ++k) {
      const auto [of_x, of_h] =
          products<std::int64_t, std::int64_t>(l, k, u, x, q.x.zero_point(), hidden, q.hidden.zero_point());
      const std::int64_t sum = clamp_to(INT16, to_gate(q.x, l.w[k], of_x) + to_gate(q.hidden, l.r[k], of_h));
      gate[k] = k == kCandidate ? tanh_table_at(3 * sum) : sigmoid_table_at(3 * sum);
    }
    const std::int64_t kept = requantise(gate[kForget] * s.cell[u], fixed_factor(0x1p-15));
    const std::int64_t added = requantise(gate[kInput] * gate[kCandidate], fixed_factor(0x1p-30 / cell_scale));
    std::int64_t cell = clamp_to(INT16, clamp_to(INT16, kept) + clamp_to(INT16, added));
    if (l.clip > 0) {
      const auto bound = static_cast<std::int64_t>(std::min(static_cast<double>(l.clip) / cell_scale, 32767.0));
      cell = std::clamp(cell, -bound, bound);
    }
    s.cell[u] = cell;
    const int left = 12 + q.cell_power;  // from the cell's scale to 1 / 4096
    const std::int64_t at = left >= 0 ? cell * 3 * (std::int64_t{1} << left) : round_up(cell * 3, -left);
    const std::int64_t product =
        requantise(tanh_table_at(at) * gate[kOutput], fixed_factor(0x1p-30 / static_cast<double>(q.hidden.scale())));
    s.hidden[u] = clamp_to(q.hidden.type, product + q.hidden.zero_point());
  }
}

}  // namespace

// One or two operators on the same variable tensors: the second goes on from what the first left.
void make_unidirectional_sequence_lstm(TfliteModel& model, Random& random, std::size_t index) {
  using enum TensorType;
  static constexpr TensorType kTypes[] = {FLOAT32, INT8, INT16};
  const TensorType type = kTypes[index % 3];
  const bool is_float = type == FLOAT32, time_major = random.chance(50);
  const std::int32_t batch = random.size(1, 3), steps = random.size(1, 6), depth = random.size(1, 12);
  const std::int32_t units = random.size(1, 9);
  LstmLayer l{static_cast<std::size_t>(depth), static_cast<std::size_t>(units), {}, {}, {}, 0};
  l.clip = random.chance(40) ? static_cast<float>(random.real(0.05, 2)) : 0;
  const auto weights = [&](Shape shape) {
    return is_float ? random_data(random, FLOAT32, std::move(shape), {}, -1, 1)
                    : random_data(random, INT8, std::move(shape), {{random.scale(1e-3, 0.03)}, {0}, 0});
  };
  const std::int32_t cell_power = random.size(-15, -9);
  TensorData x_like{type, {}, {}, {}, {}}, hidden{type, {batch, units}, {}, {}, {}};
  TensorData cell{is_float ? FLOAT32 : INT16, {batch, units}, {}, {}, {}};
  if (!is_float) {
    const float full = type == INT8 ? 128 : 32768;
    x_like.q = {{random.scale(0.3, 3) / full}, {type == INT8 ? random.between(-128, 127) : 0}, 0};
    hidden.q = {{random.scale(0.2, 1.5) / full}, {type == INT8 ? random.between(-40, 40) : 0}, 0};
    cell.q = {{std::ldexp(1.0f, cell_power)}, {0}, 0};
  }
  std::vector<std::int32_t> inputs(24, -1);
  for (std::size_t k = 0; k < 4; ++k) {
    l.w[k] = weights({units, depth});
    l.r[k] = weights({units, units});
    const double range = is_float ? 1 : type == INT8 ? 20000 : 3000000;
    const TfliteQuantisation q =
        is_float ? TfliteQuantisation{} : TfliteQuantisation{{x_like.scale() * l.w[k].scale()}, {0}, 0};
    l.bias[k] = random_data(random, is_float ? FLOAT32 : type == INT8 ? INT32 : INT64, {units}, q, -range, range);
    inputs[1 + k] = model.constant(l.w[k]);
    inputs[5 + k] = model.constant(l.r[k]);
    inputs[12 + k] = model.constant(l.bias[k]);
  }
  if (random.chance(30)) inputs.resize(20);  // of models without a place for layer normalisation
  inputs[18] = model.variable(type, random.chance(80) ? Shape{batch, units} : Shape{batch * units}, hidden.q);
  inputs[19] = model.variable(cell.type, {batch, units}, cell.q);
  schema::UnidirectionalSequenceLSTMOptionsT options;
  options.fused_activation_function = ActivationFunctionType::TANH;
  options.cell_clip = l.clip;
  options.time_major = time_major;
  model.add_text("type " + std::to_string(index % 3) + ", " + std::to_string(batch) + " x " + std::to_string(steps) +
                 " x " + std::to_string(depth) + " -> " + std::to_string(units) + (time_major ? ", time major" : "") +
                 ", clip " + std::to_string(l.clip) + ", cell 2^" + std::to_string(cell_power));
  const auto b_count = static_cast<std::size_t>(batch), t_count = static_cast<std::size_t>(steps);
  std::vector<State<float>> floats(b_count, {std::vector<float>(l.units), std::vector<float>(l.units)});
  std::vector<State<std::int64_t>> ints(
      b_count, {std::vector<std::int64_t>(l.units, hidden.zero_point()), std::vector<std::int64_t>(l.units)});
  const Scales scales{x_like, hidden, cell.scale(), cell_power};
  const int runs = random.size(1, 2);
  for (int i = 0; i < runs; ++i) {
    const Shape rows = time_major ? Shape{steps, batch} : Shape{batch, steps};
    const TensorData x = is_float ? random_data(random, type, {rows[0], rows[1], depth}, {}, -1, 1)
                                  : random_data(random, type, {rows[0], rows[1], depth}, x_like.q);
    TensorData y{type, {rows[0], rows[1], units}, hidden.q, {}, {}};
    (is_float ? y.floats.resize(y.elements()) : y.ints.resize(y.elements()));
    for (std::size_t b = 0; b < b_count; ++b)
      for (std::size_t t = 0; t < t_count; ++t) {
        const std::size_t row = time_major ? t * b_count + b : b * t_count + t;
        const auto to = static_cast<std::ptrdiff_t>(row * l.units);
        if (is_float) {
          lstm_step(l, x.floats.data() + row * l.depth, floats[b]);
          std::copy(floats[b].hidden.begin(), floats[b].hidden.end(), y.floats.begin() + to);
        } else {
          lstm_step(l, scales, x.ints.data() + row * l.depth, ints[b]);
          std::copy(ints[b].hidden.begin(), ints[b].hidden.end(), y.ints.begin() + to);
        }
      }
    inputs[0] = model.input(x);
    model.add(BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {model.output(y, is_float ? 1e-5 : 0)}, options,
              is_float ? 1 : 3);
  }
}

}  // namespace byoc::test
