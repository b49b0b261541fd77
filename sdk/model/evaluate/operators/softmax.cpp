// Softmax along one axis: exp(beta * (x - max)) / sum.
#include <algorithm>
#include <bit>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/softmax_rows.hpp"
#include "sdk/model/evaluate/operators/table_16bit.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

// In double on the given values, in place.
void softmax_reals(const Rows& rows, double beta, std::vector<double>& x) {
  for_each_row(rows, [&](auto at) {
    double largest = x[at(0)];
    for (std::int64_t i = 1; i < rows.length; ++i) largest = std::max(largest, x[at(i)]);
    double sum = 0;
    for (std::int64_t i = 0; i < rows.length; ++i) sum += x[at(i)] = std::exp((x[at(i)] - largest) * beta);
    for (std::int64_t i = 0; i < rows.length; ++i) x[at(i)] /= sum;
  });
}

// TFLite's 8-bit softmax: differences to the maximum with 5 integer bits, a sum with 12.
struct FixedSoftmax {
  Multiplier input;       // difference of integers to F<5>
  std::int32_t diff_min;  // what is further below the maximum counts as zero
  IntegerRange out;
  int out_bits;

  void operator()(std::span<std::int64_t> row) const {
    const std::int64_t largest = *std::max_element(row.begin(), row.end());
    auto exponential = [&](std::int64_t x) {
      return fixed_exp_of_negative(multiply_by_quantised(static_cast<std::int32_t>(x - largest), input), 5);
    };
    std::int64_t wide_sum = 0;
    for (const std::int64_t x : row)
      if (x - largest >= diff_min) wide_sum += rounding_divide_by_pot(exponential(x), 12);
    // F<12> without a sign; TFLite leaves undefined what does not fit.
    const auto sum = static_cast<std::uint32_t>(std::min<std::int64_t>(wide_sum, 0xffffffff));
    // 1 / sum, the sum brought to [1, 2): what is above one, in F<0>.
    const int headroom = std::countl_zero(sum);
    const int bits_over_unit = 12 - headroom;
    const auto above_one = static_cast<std::int32_t>((sum << headroom) - (1U << 31));
    const std::int32_t reciprocal = fixed_reciprocal_of_one_plus(above_one);
    for (std::int64_t& x : row) {
      if (x - largest < diff_min) {
        x = out.low;
        continue;
      }
      const std::int32_t product = rounding_doubling_high_mul(reciprocal, exponential(x));
      // More than 31 bits (a sum of 512 and more) are undefined there; product is not negative.
      const int bits = bits_over_unit + 31 - out_bits;
      const std::int64_t y = (product + (std::int64_t{1} << (bits - 1))) >> bits;
      x = std::clamp(y + out.low, out.low, out.high);
    }
  }
};

// TFLite's 16-bit softmax: tables of exp on [-10, 0] and 1 / (1 + x) on [0, 1].
struct TableSoftmax {
  Multiplier input;  // difference of integers to [-65535, 0]

  void operator()(std::span<std::int64_t> row) const {
    static const Table16 exponential([](float x) { return std::exp(x); }, -10, 0);
    static const Table16 reciprocal_of_one_plus([](float x) { return 1 / (1 + x); }, 0, 1);
    auto saturate = [](std::int64_t x) {
      return static_cast<std::int16_t>(std::clamp<std::int64_t>(x, -32768, 32767));
    };
    const std::int64_t largest = *std::max_element(row.begin(), row.end());
    std::int64_t sum = 0;  // Q16.15
    for (std::int64_t& x : row) {
      const std::int64_t scaled = multiply_by_quantised(static_cast<std::int32_t>(x - largest), input);
      x = exponential.look_up(saturate(scaled + 32767));
      sum += x;
    }
    // 1 / sum: the sum brought to [1, 2) in Q16.16, what is above one recentred for the table.
    const int headroom = std::countl_zero(static_cast<std::uint32_t>(sum));
    const std::int64_t shifted = ((sum << (headroom - 1)) + (1 << 13)) >> 14;
    const std::int64_t reciprocal = reciprocal_of_one_plus.look_up(saturate(shifted - (1 << 15) - (1 << 16)));
    const int right = 31 - headroom;
    for (std::int64_t& x : row)
      x = std::clamp<std::int64_t>((x * reciprocal + (std::int64_t{1} << (right - 1))) >> right, 0, 32767);
  }
};

Outcome softmax_tflite(const Call& call, const Rows& rows, const Affine& in, const Affine& out) {
  const DType dtype = call.in(0).type.dtype;
  if (dtype == DType::i16 && call.declared()->dtype == DType::i16) {
    // The sum of a longer row does not fit into the 32 bits that TFLite keeps it in.
    if (rows.length > 65536)
      return call.error("a row of a quantised softmax is too long", std::to_string(rows.length), "at most 65536");
    const double beta16 = static_cast<double>(call.node.real("beta", 1.0F));
    return each_row(call, rows,
                    TableSoftmax{quantise_multiplier(static_cast<double>(in.scale) * beta16 / (10.0 / 65535.0))});
  }
  if (dtype != DType::i8 && dtype != DType::u8) return call.unsupported_dtype(0, "f32, i8, u8 or i16");
  const double beta = static_cast<double>(call.node.real("beta", 1.0F));
  const double factor = std::min(beta * static_cast<double>(in.scale) * (1 << 26), 2147483647.0);
  if (!(factor > 0)) return call.error("softmax beta is out of range", std::to_string(beta), "more than 0");
  FixedSoftmax fixed{quantise_multiplier(factor), 0, out.range, static_cast<int>(bit_width(call.declared()->dtype))};
  if (fixed.input.shift < 0) return call.error("the input scale of a quantised softmax is too small");
  fixed.diff_min = -input_radius(5, fixed.input.shift);
  return each_row(call, rows, fixed);
}

// ONNX: dequantise, softmax in float, quantise.
Outcome softmax_onnx(const Call& call, const Rows& rows, const Affine& in, const Affine& out) {
  std::vector<std::int64_t> q = whole_numbers(call.in(0));
  std::vector<double> x(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) x[i] = static_cast<double>(dequantise(q[i], in));
  softmax_reals(rows, static_cast<double>(call.node.real("beta", 1.0F)), x);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = quantise(static_cast<float>(x[i]), out, Requant::onnx);
  return single(from_integers(call, call.declared()->dtype, *call.in(0).type.dims, q));
}

// Applies `f` to each row of a float tensor, in double.
Outcome for_each_float_row(const Call& call, auto&& f) {
  const Result<Rows> rows = read_rows(call);
  if (!rows) return failure;
  if (!is_float(call.in(0).type.dtype)) return call.unsupported_dtype(0, "a float");
  std::vector<double> values = reals(call.in(0));
  for_each_row(*rows, [&](auto at) { f(rows->length, [&](std::int64_t i) -> double& { return values[at(i)]; }); });
  return single(call.from_reals(call.in(0).type.dtype, *call.in(0).type.dims, values));
}

}  // namespace

// 1 at the first of the largest elements; a NaN is larger than all numbers.
Outcome hardmax(const Call& call) {
  return for_each_float_row(call, [](std::int64_t length, auto x) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < length; ++i)
      if (!std::isnan(x(best)) && (x(i) > x(best) || std::isnan(x(i)))) best = i;
    for (std::int64_t i = 0; i < length; ++i) x(i) = i == best ? 1 : 0;
  });
}

Outcome softmax(const Call& call) {
  const Result<Rows> rows = read_rows(call);
  if (!rows) return failure;
  const Tensor& input = call.in(0);
  if (is_quantised(call)) {
    const Result<Affine> in = affine_input(call, 0);
    const Result<Affine> out = affine_output(call);
    if (!in || !out) return failure;
    return call.tflite() ? softmax_tflite(call, *rows, *in, *out) : softmax_onnx(call, *rows, *in, *out);
  }
  if (!is_float(input.type.dtype)) return call.unsupported_dtype(0, "a float, or an integer type with quantisation");
  std::vector<double> values = reals(input);
  softmax_reals(*rows, static_cast<double>(call.node.real("beta", 1.0F)), values);
  return single(call.from_reals(input.type.dtype, *input.type.dims, values));
}

}  // namespace byoc::evaluate
