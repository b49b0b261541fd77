// Helpers for operators that compute each element from two broadcast elements.
#pragma once

#include "sdk/model/evaluate/index.hpp"

namespace byoc::evaluate {

// y[i] = f(a, b) for elements of type A, B and Y; the shapes broadcast to `dims`.
template <class A, class B, class Y, class F>
void for_each_pair(const Call& call, const Dims& dims, Buffer& y, F&& f) {
  const std::span<const A> a = elements<A>(call.in(0));
  const std::span<const B> b = elements<B>(call.in(1));
  const std::span<Y> out = y.as<Y>();
  std::size_t next = 0;
  walk<2>(dims, {broadcast_strides(*call.in(0).type.dims, dims), broadcast_strides(*call.in(1).type.dims, dims)},
          [&](const std::array<std::int64_t, 2>& at) {
            out[next++] = f(a[static_cast<std::size_t>(at[0])], b[static_cast<std::size_t>(at[1])]);
          });
}

// The shape that both operands broadcast to; errors name both.
[[nodiscard]] inline Result<Dims> broadcast_operands(const Call& call) {
  const std::optional<Dims> dims = broadcast(*call.in(0).type.dims, *call.in(1).type.dims);
  if (dims) return *dims;
  return call.error("the shapes of the inputs do not broadcast", describe(call.in(0)) + " and " + describe(call.in(1)));
}

}  // namespace byoc::evaluate
