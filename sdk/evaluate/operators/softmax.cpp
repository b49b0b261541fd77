// Softmax along one axis: exp(beta * (x - max)) / sum.
#include <algorithm>
#include <bit>
#include <cmath>

#include "sdk/evaluate/operators.hpp"
#include "sdk/evaluate/operators/table_16bit.hpp"
#include "sdk/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

// The elements of one softmax are `length` apart by `stride`; there are outer * stride of them.
struct Rows {
  std::int64_t outer, length, stride;
};

Result<Rows> read_rows(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  // Before opset 13 the operator works on the tensor flattened to 2-D at `axis`.
  const bool flattens = call.node.domain.empty() && call.node.version < 13;
  if (dims.empty()) return Rows{1, 1, 1};
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", flattens ? 1 : -1), dims.size());
  if (!axis) return failure;
  Rows rows{1, 1, 1};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i < *axis)
      rows.outer *= dims[i];
    else if (i == *axis || flattens)
      rows.length *= dims[i];
    else
      rows.stride *= dims[i];
  }
  return rows;
}

template <class F>
void for_each_row(const Rows& rows, F&& f) {
  if (rows.length == 0) return;
  for (std::int64_t o = 0; o < rows.outer; ++o)
    for (std::int64_t s = 0; s < rows.stride; ++s)
      f([&, o, s](std::int64_t i) { return static_cast<std::size_t>((o * rows.length + i) * rows.stride + s); });
}

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
    std::int32_t sum = 0;  // F<12>
    for (const std::int64_t x : row)
      if (x - largest >= diff_min) sum += rounding_divide_by_pot(exponential(x), 12);
    // 1 / sum, the sum brought to [1, 2): what is above one, in F<0>.
    const int headroom = std::countl_zero(static_cast<std::uint32_t>(sum));
    const int bits_over_unit = 12 - headroom;
    const auto above_one = static_cast<std::int32_t>((static_cast<std::uint32_t>(sum) << headroom) - (1U << 31));
    const std::int32_t reciprocal = fixed_reciprocal_of_one_plus(above_one);
    for (std::int64_t& x : row) {
      if (x - largest < diff_min) {
        x = out.low;
        continue;
      }
      const std::int32_t product = rounding_doubling_high_mul(reciprocal, exponential(x));
      const std::int32_t y = rounding_divide_by_pot(product, std::min(bits_over_unit + 31 - out_bits, 31));
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

template <class F>
Outcome each_row(const Call& call, const Rows& rows, F&& f) {
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  std::vector<std::int64_t> row(static_cast<std::size_t>(rows.length));
  for_each_row(rows, [&](auto at) {
    for (std::int64_t i = 0; i < rows.length; ++i) row[static_cast<std::size_t>(i)] = values[at(i)];
    f(std::span(row));
    for (std::int64_t i = 0; i < rows.length; ++i) values[at(i)] = row[static_cast<std::size_t>(i)];
  });
  return single(from_integers(call, call.declared()->dtype, *call.in(0).type.dims, values));
}

Outcome softmax_tflite(const Call& call, const Rows& rows, const Affine& in, const Affine& out) {
  const DType dtype = call.in(0).type.dtype;
  // The sum of a longer row does not fit into the 32 bits that TFLite keeps it in.
  if (rows.length > 32768)
    return call.error("a row of a quantised softmax is too long", std::to_string(rows.length), "at most 32768");
  if (dtype == DType::i16 && call.declared()->dtype == DType::i16) {
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

}  // namespace

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
