// The type that operators compute in which take any number: integers wrap around in 64 bits, f64 stays double, all
// other floats are float32, rounded to the element once at the end.
#pragma once

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

// Calls f.template operator()<R>() with R float, double or uint64.
template <class F>
auto with_number_type(DType dtype, F&& f) {
  if (is_integer(dtype)) return f.template operator()<std::uint64_t>();
  if (dtype == DType::f64) return f.template operator()<double>();
  return f.template operator()<float>();
}

// The elements of a tensor of floats or integers.
template <class R>
[[nodiscard]] std::vector<R> numbers(const Tensor& tensor) {
  if constexpr (std::is_floating_point_v<R>) return reals<R>(tensor);
  std::vector<R> out;
  (void)dispatch(tensor.type.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      for (const T value : elements<T>(tensor)) out.push_back(static_cast<R>(value));
  });
  return out;
}

template <class R>
[[nodiscard]] Outcome from_numbers(const Call& call, DType dtype, const Dims& dims, const std::vector<R>& values) {
  if constexpr (std::is_floating_point_v<R>) return single(call.from_reals(dtype, dims, std::span<const R>(values)));
  Result<Buffer> y = call.allocate(dtype, dims);
  if (!y) return failure;
  (void)dispatch(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      for (std::size_t i = 0; i < values.size(); ++i) y->as<T>()[i] = static_cast<T>(values[i]);
  });
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
