// Two quantised operands of a TFLite operator, element by element.
#pragma once

#include <algorithm>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

// Operands 0 and 1, broadcast to `dims`.
struct Pair {
  Affine a, b;
  Dims dims;
};

// `one_type`: the operands must have one element type.
inline Result<Pair> read_pair(const Call& call, bool one_type = true) {
  const Result<Affine> a = affine_input(call, 0);
  const Result<Affine> b = affine_input(call, 1);
  if (!a || !b || (one_type && !call.same_dtype(0, 1))) return failure;
  const std::optional<Dims> dims = broadcast(*call.in(0).type.dims, *call.in(1).type.dims);
  if (!dims)
    return call.error("the shapes of the inputs do not broadcast",
                      describe(call.in(0)) + " and " + describe(call.in(1)));
  if (!product(*dims) || *product(*dims) > static_cast<std::int64_t>(kLargestResult))
    return call.error("the result is too large", describe(*dims), "at most 2^31 elements");
  return Pair{*a, *b, *dims};
}

// f(a, b) on the operands' integers without their zero points, for every element of the result.
template <class F>
std::vector<std::int64_t> map_pairs(const Call& call, const Pair& pair, F&& f) {
  const std::vector<std::int32_t> a = centred(call.in(0), pair.a.zero_point);
  const std::vector<std::int32_t> b = centred(call.in(1), pair.b.zero_point);
  std::vector<std::int64_t> y;
  const std::array<Dims, 2> strides{broadcast_strides(*call.in(0).type.dims, pair.dims),
                                    broadcast_strides(*call.in(1).type.dims, pair.dims)};
  walk<2>(pair.dims, strides, [&](const std::array<std::int64_t, 2>& at) {
    y.push_back(f(a[static_cast<std::size_t>(at[0])], b[static_cast<std::size_t>(at[1])]));
  });
  return y;
}

// map_pairs() plus the output's zero point, clamped to the fused activation.
template <class F>
Outcome requantise_pairs(const Call& call, F&& f, bool one_type = true) {
  const Result<Pair> pair = read_pair(call, one_type);
  const Result<Affine> out = affine_output(call);
  if (!pair || !out) return failure;
  const Result<IntegerRange> clamp = activation_range(call, *out);
  if (!clamp) return failure;
  std::vector<std::int64_t> y = map_pairs(call, *pair, [&](std::int32_t a, std::int32_t b) {
    return std::clamp(f(a, b) + out->zero_point, clamp->low, clamp->high);
  });
  return single(from_integers(call, call.declared()->dtype, pair->dims, y));
}

}  // namespace byoc::evaluate
