// MatMulInteger: products of 8-bit integers less their zero points, summed to i32 (which wraps around).
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/matrix.hpp"
#include "sdk/model/evaluate/operators/zero_points.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

Result<std::vector<std::int32_t>> less_zero(const Call& call, std::size_t matrix, std::size_t zero, Side side) {
  const DType dtype = call.in(matrix).type.dtype;
  if (dtype != DType::i8 && dtype != DType::u8) return call.unsupported_dtype(matrix, "i8 or u8");
  std::vector<std::int32_t> out = centred(call.in(matrix), 0);
  if (call.find(zero) == nullptr) return out;
  if (!call.same_dtype(matrix, zero)) return failure;
  const Result<std::vector<std::size_t>> at = parameter_indexes(call, matrix, zero, side);
  if (!at) return failure;
  const std::vector<std::int64_t> zeros = whole_numbers(call.in(zero));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= static_cast<std::int32_t>(zeros[(*at)[i]]);
  return out;
}

}  // namespace

Outcome matmul_integer(const Call& call) {
  const Result<MatMulShape> s = read_matmul(call, 0, 1);
  if (!s) return failure;
  const auto a = less_zero(call, 0, 2, Side::left);
  const auto b = less_zero(call, 1, 3, Side::right);
  if (!a || !b) return failure;
  const std::vector<std::int64_t> y =
      multiply<std::int64_t>(*s, std::span<const std::int32_t>(*a), std::span<const std::int32_t>(*b));
  Result<Buffer> out = call.allocate(DType::i32, s->out);
  if (!out) return failure;
  for (std::size_t i = 0; i < y.size(); ++i) out->as<std::int32_t>()[i] = static_cast<std::int32_t>(y[i]);
  return single(std::move(*out));
}

}  // namespace byoc::evaluate
