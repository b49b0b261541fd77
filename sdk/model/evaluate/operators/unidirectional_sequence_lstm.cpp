// byoc.UnidirectionalSequenceLstm: TFLite's LSTM. Gates in the order input, forget, cell, output.
#include <algorithm>
#include <array>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/table_16bit.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

constexpr std::size_t kX = 0, kInputWeights = 1, kRecurrentWeights = 5, kBiases = 9, kHidden = 13, kCell = 14;
enum : std::size_t { kInput, kForget, kGate, kOutput };

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

struct LstmShape {
  std::int64_t steps, batch, depth, units;
  bool time_major, reverse;

  // The index of a row of x or y among all rows.
  [[nodiscard]] std::int64_t row(std::int64_t b, std::int64_t t) const {
    return time_major ? t * batch + b : b * steps + t;
  }
};

Result<LstmShape> read_lstm_shape(const Call& call) {
  const Dims &x = *call.in(kX).type.dims, &w = *call.in(kRecurrentWeights).type.dims;
  if (x.size() != 3) return call.error("the input must have rank 3", describe(call.in(kX)));
  if (w.size() != 2) return call.error("the weights must have rank 2", describe(call.in(kRecurrentWeights)));
  const bool time_major = call.node.integer("time_major", 0) != 0;
  const LstmShape s{
      x[time_major ? 0 : 1], x[time_major ? 1 : 0], x[2], w[0], time_major, call.node.integer("reverse", 0) != 0};
  for (std::size_t k = 0; k < 4; ++k)
    if (*call.in(kInputWeights + k).type.dims != Dims{s.units, s.depth} ||
        *call.in(kRecurrentWeights + k).type.dims != Dims{s.units, s.units} ||
        *call.in(kBiases + k).type.dims != Dims{s.units})
      return call.error("the weights and biases of gate " + std::to_string(k) + " do not fit",
                        describe(call.in(kInputWeights + k)) + ", " + describe(call.in(kRecurrentWeights + k)) +
                            " and " + describe(call.in(kBiases + k)));
  for (const std::size_t i : {kHidden, kCell})
    if (call.in(i).type.elements() != s.batch * s.units)
      return call.error("the states do not fit", describe(call.in(i)), describe(Dims{s.batch, s.units}));
  return s;
}

Dims result_dims(const Call& call, const LstmShape& s) {
  Dims out = *call.in(kX).type.dims;
  out[2] = s.units;
  return out;
}

// Runs f(b, x row, y row) for every batch, one step after another, or from the last one on.
template <class F>
void for_each_step(const LstmShape& s, F&& f) {
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t t = 0; t < s.steps; ++t) f(b, s.row(b, s.reverse ? s.steps - 1 - t : t));
}

Outcome lstm_float(const Call& call, const LstmShape& s) {
  for (std::size_t i = 1; i < call.count(); ++i)
    if (!call.same_dtype(0, i)) return failure;
  std::array<std::vector<float>, 4> w, r, bias;
  for (std::size_t k = 0; k < 4; ++k) {
    w[k] = reals<float>(call.in(kInputWeights + k));
    r[k] = reals<float>(call.in(kRecurrentWeights + k));
    bias[k] = reals<float>(call.in(kBiases + k));
  }
  const auto x = reals<float>(call.in(kX));
  auto h = reals<float>(call.in(kHidden)), c = reals<float>(call.in(kCell));
  const float clip = call.node.real("cell_clip", 0);
  std::vector<float> y(at(s.batch * s.steps * s.units));
  for_each_step(s, [&](std::int64_t b, std::int64_t row) {
    std::vector<float> next(at(s.units));
    for (std::int64_t u = 0; u < s.units; ++u) {
      std::array<float, 4> gate{};
      for (std::size_t k = 0; k < 4; ++k) {
        float of_x = 0, of_h = 0;
        for (std::int64_t d = 0; d < s.depth; ++d) of_x += w[k][at(u * s.depth + d)] * x[at(row * s.depth + d)];
        for (std::int64_t d = 0; d < s.units; ++d) of_h += r[k][at(u * s.units + d)] * h[at(b * s.units + d)];
        const float sum = of_x + bias[k][at(u)] + of_h;
        gate[k] = k == kGate ? std::tanh(sum) : 1 / (1 + std::exp(-sum));
      }
      float& cell = c[at(b * s.units + u)];
      cell = gate[kForget] * cell + gate[kInput] * gate[kGate];
      if (clip > 0) cell = std::clamp(cell, -clip, clip);
      next[at(u)] = gate[kOutput] * std::tanh(cell);
    }
    std::copy(next.begin(), next.end(), h.begin() + b * s.units);
    std::copy(next.begin(), next.end(), y.begin() + row * s.units);
  });
  auto out = call.from_reals(DType::f32, result_dims(call, s), y, 0);
  auto next_h = call.from_reals(DType::f32, *call.in(kHidden).type.dims, h, 1);
  auto next_c = call.from_reals(DType::f32, *call.in(kCell).type.dims, c, 2);
  if (!out || !next_h || !next_c) return failure;
  return std::vector<Tensor>{std::move(*out), std::move(*next_h), std::move(*next_c)};
}

std::int64_t saturate_to_16_bits(std::int64_t v) { return std::clamp<std::int64_t>(v, -32768, 32767); }

// The exponent of a scale that is within 0.1 % of a power of two.
std::optional<int> exact_log2(float scale) {
  const float log = std::log(scale) * (1.0F / std::log(2.0F));
  const float rounded = std::round(log);
  if (std::fabs(log - rounded) >= 1e-3F) return std::nullopt;
  return static_cast<int>(rounded);
}

// TFLite: every gate is two products at scale 1/4096 in 16 bits, then tables; the cell has 16 bits and a scale that is
// a power of two. Sums of 8-bit activations have 32 bits, those of 16-bit ones 64.
class Integers {
 public:
  Integers(const Call& call, const LstmShape& s) : call_(call), s_(s), wide_(call.in(kX).type.dtype == DType::i16) {}

  Outcome run() {
    if (!read()) return failure;
    std::vector<std::int64_t> y(at(s_.batch * s_.steps * s_.units));
    for_each_step(s_, [&](std::int64_t b, std::int64_t row) {
      std::vector<std::int64_t> next(at(s_.units));
      for (std::int64_t u = 0; u < s_.units; ++u) next[at(u)] = step(b, row, u);
      std::copy(next.begin(), next.end(), h_.begin() + b * s_.units);
      std::copy(next.begin(), next.end(), y.begin() + row * s_.units);
    });
    auto out = from_integers(call_, call_.in(kX).type.dtype, result_dims(call_, s_), y, 0);
    auto next_h = from_integers(call_, call_.in(kHidden).type.dtype, *call_.in(kHidden).type.dims, h_, 1);
    auto next_c = from_integers(call_, DType::i16, *call_.in(kCell).type.dims, c_, 2);
    if (!out || !next_h || !next_c) return failure;
    return std::vector<Tensor>{std::move(*out), std::move(*next_h), std::move(*next_c)};
  }

 private:
  Result<void> read() {
    const auto in = affine_input(call_, kX), hidden = affine_input(call_, kHidden), cell = affine_input(call_, kCell);
    if (!in || !hidden || !cell) return failure;
    const DType type = call_.in(kX).type.dtype;
    if (!call_.tflite() || (type != DType::i8 && type != DType::i16) || call_.in(kHidden).type.dtype != type ||
        call_.in(kCell).type.dtype != DType::i16 || call_.declared()->dtype != type)
      return call_.unsupported_dtype(0, "i8 or i16 with a state of that type and a cell of i16, in a TFLite graph");
    const auto power = exact_log2(cell->scale);
    if (!power || *power > 0 || *power < -30 || cell->zero_point != 0)
      return call_.error("the cell's scale is no power of two", std::to_string(cell->scale), "2^-30 to 1");
    in_zero_ = in->zero_point;
    hidden_ = *hidden;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto w = affine_input(call_, kInputWeights + k), r = affine_input(call_, kRecurrentWeights + k);
      const auto bias = quantised_bias(call_, kBiases + k);
      if (!w || !r || !bias) return failure;
      if (call_.in(kInputWeights + k).type.dtype != DType::i8 ||
          call_.in(kRecurrentWeights + k).type.dtype != DType::i8)
        return call_.unsupported_dtype(kInputWeights + k, "i8 weights");
      // The product of the two scales is a float32.
      of_x_[k] = quantise_multiplier(static_cast<double>(in->scale * w->scale) * 4096);
      of_h_[k] = quantise_multiplier(static_cast<double>(hidden->scale * r->scale) * 4096);
      w_[k] = whole_numbers(call_.in(kInputWeights + k));
      r_[k] = whole_numbers(call_.in(kRecurrentWeights + k));
      bias_[k] = *bias;
    }
    const double cell_scale = static_cast<double>(cell->scale);
    forget_ = quantise_multiplier(std::ldexp(cell_scale, -15) / cell_scale);
    input_ = quantise_multiplier(std::ldexp(1.0, -30) / cell_scale);
    output_ = quantise_multiplier(std::ldexp(1.0, -30) / static_cast<double>(hidden->scale));
    tanh_shift_ = 12 + *power;
    const float clip = call_.node.real("cell_clip", 0);
    if (clip > 0)
      clip_ = static_cast<std::int64_t>(std::clamp(static_cast<double>(clip) / cell_scale, -32768.0, 32767.0));
    clips_ = clip > 0;
    x_ = whole_numbers(call_.in(kX));
    h_ = whole_numbers(call_.in(kHidden));
    c_ = whole_numbers(call_.in(kCell));
    return {};
  }

  [[nodiscard]] std::int64_t requantise(std::int64_t sum, Multiplier m) const {
    if (wide_) return saturate_to_16_bits(multiply_by_quantised_wide(sum, m));
    return saturate_to_16_bits(multiply_by_quantised(static_cast<std::int32_t>(static_cast<std::uint32_t>(sum)), m));
  }
  static std::int64_t product(std::int64_t a, std::int64_t b, Multiplier m) {
    return multiply_by_quantised(static_cast<std::int32_t>(a * b), m);
  }
  [[nodiscard]] std::int64_t gate(std::size_t k, std::int64_t b, std::int64_t row, std::int64_t u) const {
    std::int64_t of_x = bias_[k][at(u)], of_h = 0;
    for (std::int64_t d = 0; d < s_.depth; ++d)
      of_x += w_[k][at(u * s_.depth + d)] * (x_[at(row * s_.depth + d)] - in_zero_);
    for (std::int64_t d = 0; d < s_.units; ++d)
      of_h += r_[k][at(u * s_.units + d)] * (h_[at(b * s_.units + d)] - hidden_.zero_point);
    const std::int64_t sum = saturate_to_16_bits(requantise(of_x, of_x_[k]) + requantise(of_h, of_h_[k]));
    return k == kGate ? tanh_16bit(3 * sum) : sigmoid_16bit(3 * sum);
  }
  // The cell in 1 / (3 * 4096).
  [[nodiscard]] std::int64_t table_position(std::int64_t cell) const {
    if (tanh_shift_ >= 0) return cell * 3 * (std::int64_t{1} << tanh_shift_);
    return (cell * 3 + (std::int64_t{1} << (-tanh_shift_ - 1))) >> -tanh_shift_;
  }
  std::int64_t step(std::int64_t b, std::int64_t row, std::int64_t u) {
    const std::int64_t forget = gate(kForget, b, row, u), input = gate(kInput, b, row, u);
    const std::int64_t candidate = gate(kGate, b, row, u), output = gate(kOutput, b, row, u);
    std::int64_t& cell = c_[at(b * s_.units + u)];
    cell = saturate_to_16_bits(saturate_to_16_bits(product(forget, cell, forget_)) +
                               saturate_to_16_bits(product(input, candidate, input_)));
    if (clips_) cell = std::clamp(cell, -clip_, clip_);
    return std::clamp(product(tanh_16bit(table_position(cell)), output, output_) + hidden_.zero_point,
                      hidden_.range.low, hidden_.range.high);
  }

  const Call& call_;
  const LstmShape& s_;
  const bool wide_;
  std::int64_t in_zero_ = 0, clip_ = 0;
  bool clips_ = false;
  int tanh_shift_ = 0;
  Affine hidden_;
  std::array<Multiplier, 4> of_x_, of_h_;
  Multiplier forget_, input_, output_;
  std::array<std::vector<std::int64_t>, 4> w_, r_, bias_;
  std::vector<std::int64_t> x_, h_, c_;
};

}  // namespace

Outcome unidirectional_sequence_lstm(const Call& call) {
  const Result<LstmShape> s = read_lstm_shape(call);
  if (!s) return failure;
  if (call.in(kX).type.dtype == DType::f32) return lstm_float(call, *s);
  if (is_quantised(call)) return Integers(call, *s).run();
  return call.unsupported_dtype(0, "f32, or i8 or i16 with quantisation");
}

}  // namespace byoc::evaluate
