// byoc.NotEqual, with broadcasting. NaN differs from everything.
#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/pairs_tflite.hpp"

namespace byoc::evaluate {

Outcome not_equal(const Call& call) {
  if (call.quantisation_of(0) != nullptr)
    return compare_tflite(call, [](std::string_view, std::int32_t a, std::int32_t b) { return a != b; });
  if (!call.same_dtype(0, 1)) return failure;
  const std::optional<Dims> dims = broadcast(*call.in(0).type.dims, *call.in(1).type.dims);
  if (!dims)
    return call.error("the shapes of the inputs do not broadcast",
                      describe(call.in(0)) + " and " + describe(call.in(1)));
  Result<Buffer> y = call.allocate(DType::boolean, *dims);
  if (!y) return failure;
  const bool known = dispatch(call.in(0).type.dtype, [&]<class T>() {
    const std::span<const T> a = elements<T>(call.in(0)), b = elements<T>(call.in(1));
    std::size_t next = 0;
    walk<2>(*dims, {broadcast_strides(*call.in(0).type.dims, *dims), broadcast_strides(*call.in(1).type.dims, *dims)},
            [&](const std::array<std::int64_t, 2>& at) {
              const T u = a[static_cast<std::size_t>(at[0])], v = b[static_cast<std::size_t>(at[1])];
              if constexpr (kIsFloat<T>)
                y->as<bool>()[next++] = widen(u) != widen(v);
              else
                y->as<bool>()[next++] = u != v;
            });
  });
  if (!known) return call.unsupported_dtype(0, "a type of whole bytes");
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
