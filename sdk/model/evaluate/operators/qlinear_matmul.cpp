// QLinearMatMul: a, its scale and zero point, b, its own, y's. a may be quantised per row, b per column.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/matrix.hpp"
#include "sdk/model/evaluate/operators/qlinear.hpp"
#include "sdk/model/evaluate/operators/zero_points.hpp"

namespace byoc::evaluate {
namespace {

// A matrix operand less its zero points, and the scale of each of its rows (or columns), in the order of the matrices.
struct Operand {
  std::vector<std::int32_t> values;
  std::vector<float> scales;  // by element, as zero points are
};

Result<Operand> read_operand(const Call& call, std::size_t matrix, Side side) {
  for (const std::size_t i : {matrix + 1, matrix + 2}) {
    const DType dtype = call.in(i).type.dtype;
    const bool scale = i == matrix + 1;
    if (scale && dtype != DType::f32) return call.unsupported_dtype(i, "f32");
    if (!scale && dtype != DType::i8 && dtype != DType::u8 && dtype != DType::i16 && dtype != DType::u16)
      return call.unsupported_dtype(i, "i8, u8, i16 or u16");
  }
  const std::span<const float> scales = elements<float>(call.in(matrix + 1));
  for (const float s : scales)
    if (!std::isfinite(s) || s <= 0)
      return call.error("a scale is out of range", std::to_string(s), "a positive finite number");
  const auto scale_at = parameter_indexes(call, matrix, matrix + 1, side);
  const auto zero_at = parameter_indexes(call, matrix, matrix + 2, side);
  if (!scale_at || !zero_at) return failure;
  const std::vector<std::int64_t> zeros = whole_numbers(call.in(matrix + 2));
  Operand out{centred(call.in(matrix), 0), {}};
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    out.values[i] -= static_cast<std::int32_t>(zeros[(*zero_at)[i]]);
    out.scales.push_back(scales[(*scale_at)[i]]);
  }
  return out;
}

}  // namespace

Outcome qlinear_matmul(const Call& call) {
  if (call.tflite()) return call.error("QLinearMatMul is an operator of ONNX", "a TFLite graph");
  const Result<MatMulShape> s = read_matmul(call, 0, 3);
  if (!s || !call.same_dtype(0, 2) || !call.same_dtype(3, 5)) return failure;
  const Result<Operand> a = read_operand(call, 0, Side::left);
  const Result<Operand> b = read_operand(call, 3, Side::right);
  const Result<Affine> out = qlinear_tensor(call, 6);
  if (!a || !b || !out) return failure;
  std::vector<std::int64_t> y;
  walk<2>(s->batch, {s->a_strides, s->b_strides}, [&](const std::array<std::int64_t, 2>& at) {
    for (std::int64_t r = 0; r < s->rows; ++r)
      for (std::int64_t c = 0; c < s->columns; ++c) {
        std::int64_t sum = 0;
        for (std::int64_t k = 0; k < s->depth; ++k)
          sum += std::int64_t{a->values[static_cast<std::size_t>(at[0] + r * s->depth + k)]} *
                 b->values[static_cast<std::size_t>(at[1] + k * s->columns + c)];
        const float row = s->depth == 0 ? 1 : a->scales[static_cast<std::size_t>(at[0] + r * s->depth)];
        const float column = s->depth == 0 ? 1 : b->scales[static_cast<std::size_t>(at[1] + c)];
        const Requantiser requantise(Scaling::onnx_literal, row, std::span(&column, 1), *out, out->range);
        y.push_back(requantise(sum, 0));
      }
  });
  return single(from_integers(call, call.in(7).type.dtype, s->out, y));
}

}  // namespace byoc::evaluate
