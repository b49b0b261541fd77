// byoc.FloorDiv and byoc.FloorMod with broadcasting: TFLite's FLOOR_DIV and FLOOR_MOD on f32.
#include <cmath>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

// The quotient is formed in double.
float floor_quotient(float a, float b) {
  return static_cast<float>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
}

// The remainder has the divisor's sign.
float floor_remainder(float a, float b) {
  const float r = std::fmod(a, b);
  return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}

Outcome apply(const Call& call, float (*f)(float, float)) {
  if (call.in(0).type.dtype != DType::f32) return call.unsupported_dtype(0, "f32");
  if (!call.same_dtype(0, 1)) return failure;
  const std::optional<Dims> dims = broadcast(*call.in(0).type.dims, *call.in(1).type.dims);
  if (!dims)
    return call.error("the shapes of the inputs do not broadcast",
                      describe(call.in(0)) + " and " + describe(call.in(1)));
  Result<Buffer> y = call.allocate(DType::f32, *dims);
  if (!y) return failure;
  const std::span<const float> a = elements<float>(call.in(0)), b = elements<float>(call.in(1));
  std::size_t next = 0;
  walk<2>(*dims, {broadcast_strides(*call.in(0).type.dims, *dims), broadcast_strides(*call.in(1).type.dims, *dims)},
          [&](const std::array<std::int64_t, 2>& at) {
            y->as<float>()[next++] = f(a[static_cast<std::size_t>(at[0])], b[static_cast<std::size_t>(at[1])]);
          });
  return single(std::move(*y));
}

}  // namespace

Outcome floor_div(const Call& call) { return apply(call, floor_quotient); }
Outcome floor_mod(const Call& call) { return apply(call, floor_remainder); }

}  // namespace byoc::evaluate
