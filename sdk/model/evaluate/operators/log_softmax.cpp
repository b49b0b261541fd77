// LogSoftmax along one axis: x - max - log(sum of exp(x - max)).
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/softmax_rows.hpp"

namespace byoc::evaluate {
namespace {

void log_softmax_reals(const Rows& rows, std::vector<double>& x) {
  for_each_row(rows, [&](auto at) {
    double largest = x[at(0)];
    for (std::int64_t i = 1; i < rows.length; ++i) largest = std::max(largest, x[at(i)]);
    double sum = 0;
    for (std::int64_t i = 0; i < rows.length; ++i) sum += std::exp(x[at(i)] - largest);
    for (std::int64_t i = 0; i < rows.length; ++i) x[at(i)] = x[at(i)] - largest - std::log(sum);
  });
}

// TFLite's 8-bit form: differences with 5 integer bits, a sum with 12, the result in 1/16 with zero point 127.
struct FixedLogSoftmax {
  Multiplier input;       // difference of integers to F<5>
  Multiplier reverse;     // and back
  std::int32_t diff_min;  // what is further below the maximum adds nothing

  void operator()(std::span<std::int64_t> row) const {
    const std::int64_t largest = *std::max_element(row.begin(), row.end());
    auto scaled = [&](std::int64_t x) { return multiply_by_quantised(static_cast<std::int32_t>(x - largest), input); };
    std::int64_t sum = 0;  // F<12>; TFLite leaves undefined what does not fit
    for (const std::int64_t x : row)
      if (x - largest >= diff_min) sum += rounding_divide_by_pot(fixed_exp_of_negative(scaled(x), 5), 12);
    const std::int32_t log_sum = fixed_log(static_cast<std::int32_t>(std::min<std::int64_t>(sum, 0x7fffffff)));
    const auto least = static_cast<std::int32_t>(std::int64_t{log_sum} + std::numeric_limits<std::int32_t>::min());
    const std::int32_t adjusted = std::max(diff_min - 1, multiply_by_quantised(least, reverse));
    for (std::int64_t& x : row) {
      if (x - largest <= adjusted) {
        x = -128;
        continue;
      }
      const std::int64_t difference = std::int64_t{scaled(x)} - log_sum;
      const std::int32_t y = rounding_divide_by_pot(static_cast<std::int32_t>(difference), 31 - 5 - 4);
      x = std::clamp(y + 127, -128, 127);
    }
  }
};

Outcome log_softmax_tflite(const Call& call, const Rows& rows, const Affine& in, const Affine& out) {
  if (call.in(0).type.dtype != DType::i8 || call.declared()->dtype != DType::i8)
    return call.unsupported_dtype(0, "f32 or i8");
  if (out.scale != 16.0F / 256 || out.zero_point != 127)
    return call.error("the output quantisation is not the one that TFLite fixes for this operator",
                      "scale " + std::to_string(out.scale) + ", zero point " + std::to_string(out.zero_point),
                      "scale 1/16, zero point 127");
  const double factor = std::min(static_cast<double>(in.scale) * (1 << 26), 2147483647.0);
  FixedLogSoftmax fixed{quantise_multiplier(factor), {}, 0};
  if (fixed.input.shift < 1) return call.error("the input scale of a quantised LogSoftmax is too small");
  fixed.reverse = quantise_multiplier(std::ldexp(1.0, 31 - fixed.input.shift) / fixed.input.value);
  fixed.diff_min = -input_radius(5, fixed.input.shift);
  return each_row(call, rows, fixed);
}

}  // namespace

Outcome log_softmax(const Call& call) {
  const Result<Rows> rows = read_rows(call);
  if (!rows) return failure;
  std::vector<double> x;
  if (is_quantised(call)) {
    const Result<Affine> in = affine_input(call, 0);
    const Result<Affine> out = affine_output(call);
    if (!in || !out) return failure;
    if (call.tflite()) return log_softmax_tflite(call, *rows, *in, *out);
    std::vector<std::int64_t> q = whole_numbers(call.in(0));
    for (const std::int64_t v : q) x.push_back(static_cast<double>(dequantise(v, *in)));
    log_softmax_reals(*rows, x);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = quantise(static_cast<float>(x[i]), *out, Requant::onnx);
    return single(from_integers(call, call.declared()->dtype, *call.in(0).type.dims, q));
  }
  if (!is_float(call.in(0).type.dtype))
    return call.unsupported_dtype(0, "a float, or an integer type with quantisation");
  x = reals(call.in(0));
  log_softmax_reals(*rows, x);
  return single(call.from_reals(call.in(0).type.dtype, *call.in(0).type.dims, x));
}

}  // namespace byoc::evaluate
