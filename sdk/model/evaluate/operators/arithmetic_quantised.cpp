#include "sdk/model/evaluate/operators/arithmetic_quantised.hpp"

#include <algorithm>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators/pairs_tflite.hpp"

namespace byoc::evaluate {
namespace {

struct Operands {
  Affine a, b, out;
  IntegerRange clamp;
};

Result<Operands> read_operands(const Call& call) {
  const Result<Affine> a = affine_input(call, 0);
  const Result<Affine> b = affine_input(call, 1);
  const Result<Affine> out = affine_output(call);
  if (!a || !b || !out) return failure;
  if (!call.same_dtype(0, 1)) return failure;
  const Result<IntegerRange> clamp = activation_range(call, *out);
  if (!clamp) return failure;
  return Operands{*a, *b, *out, *clamp};
}

// f(a, b) on the integers of both operands gives the output integer before the clamp.
template <class F>
Outcome for_each_pair(const Call& call, const Dims& dims, const Operands& o, F&& f) {
  if (!call.check_count(dims)) return failure;
  const std::vector<std::int64_t> a = whole_numbers(call.in(0));
  const std::vector<std::int64_t> b = whole_numbers(call.in(1));
  std::vector<std::int64_t> y;
  const std::array<Dims, 2> strides{broadcast_strides(*call.in(0).type.dims, dims),
                                    broadcast_strides(*call.in(1).type.dims, dims)};
  walk<2>(dims, strides, [&](const std::array<std::int64_t, 2>& at) {
    const std::int64_t q = f(a[static_cast<std::size_t>(at[0])], b[static_cast<std::size_t>(at[1])]);
    y.push_back(std::clamp(q, o.clamp.low, o.clamp.high));
  });
  return single(from_integers(call, call.declared()->dtype, dims, y));
}

// ONNX: dequantise both, compute in float32, quantise.
template <class F>
Outcome literal(const Call& call, const Dims& dims, const Operands& o, F&& f) {
  return for_each_pair(call, dims, o, [&](std::int64_t a, std::int64_t b) {
    return quantise(f(dequantise(a, o.a), dequantise(b, o.b)), o.out, Requant::onnx);
  });
}

// TFLite: both operands are brought to twice the larger scale with headroom of `left_shift` bits, added there, and
// requantised.
struct SumScales {
  Multiplier a, b, out;
};

// ADD combines the scales in double, SUB in float32.
template <class Real>
SumScales sum_scales(const Operands& o, int left_shift) {
  const auto a = static_cast<Real>(o.a.scale);
  const auto b = static_cast<Real>(o.b.scale);
  const Real twice = 2 * std::max(a, b);
  return {quantise_multiplier(static_cast<double>(a / twice)), quantise_multiplier(static_cast<double>(b / twice)),
          quantise_multiplier(
              static_cast<double>(twice / (static_cast<Real>(1 << left_shift) * static_cast<Real>(o.out.scale))))};
}

template <class Real>
Outcome sum_tflite(const Call& call, const Dims& dims, const Operands& o, int sign) {
  const int left_shift = call.in(0).type.dtype == DType::i16 ? 15 : 20;
  const SumScales scales = sum_scales<Real>(o, left_shift);
  auto scaled = [&](std::int64_t q, const Affine& from, Multiplier m) {
    return multiply_by_quantised(static_cast<std::int32_t>((q - from.zero_point) * (std::int64_t{1} << left_shift)), m);
  };
  return for_each_pair(call, dims, o, [&](std::int64_t a, std::int64_t b) {
    const std::int64_t sum = scaled(a, o.a, scales.a) + std::int64_t{sign} * scaled(b, o.b, scales.b);
    return multiply_by_quantised(static_cast<std::int32_t>(sum), scales.out) + o.out.zero_point;
  });
}

}  // namespace

Outcome add_quantised(const Call& call, const Dims& dims) {
  const Result<Operands> o = read_operands(call);
  if (!o) return failure;
  if (call.tflite()) return sum_tflite<double>(call, dims, *o, 1);
  return literal(call, dims, *o, [](float a, float b) { return a + b; });
}

Outcome sub_quantised(const Call& call, const Dims& dims) {
  const Result<Operands> o = read_operands(call);
  if (!o) return failure;
  if (call.tflite() && call.node.text("scale_product", "f32") == "f64") return sum_tflite<double>(call, dims, *o, -1);
  if (call.tflite()) return sum_tflite<float>(call, dims, *o, -1);
  return literal(call, dims, *o, [](float a, float b) { return a - b; });
}

Outcome mul_quantised(const Call& call, const Dims& dims) {
  const Result<Operands> o = read_operands(call);
  if (!o) return failure;
  if (!call.tflite()) return literal(call, dims, *o, [](float a, float b) { return a * b; });
  const bool in_floats = call.node.text("scale_product", "f64") == "f32";
  const Multiplier m =
      quantise_multiplier(in_floats ? static_cast<double>(o->a.scale * o->b.scale / o->out.scale)
                                    : static_cast<double>(o->a.scale) * static_cast<double>(o->b.scale) /
                                          static_cast<double>(o->out.scale));
  return for_each_pair(call, dims, *o, [&](std::int64_t a, std::int64_t b) {
    const std::int64_t product = (a - o->a.zero_point) * (b - o->b.zero_point);
    return multiply_by_quantised(static_cast<std::int32_t>(product), m) + o->out.zero_point;
  });
}

Outcome div_quantised(const Call& call, const Dims& dims) {
  if (call.tflite()) return div_tflite(call);
  const Result<Operands> o = read_operands(call);
  if (!o) return failure;
  return literal(call, dims, *o, [](float a, float b) { return a / b; });
}

}  // namespace byoc::evaluate
