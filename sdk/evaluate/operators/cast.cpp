// Cast, and CastLike: to another element type. Floats to integers drop the fraction; integers to narrower ones keep the
// low bits.
#include "sdk/evaluate/operators.hpp"
#include "sdk/evaluate/operators/cast_type.hpp"

namespace byoc::evaluate {
namespace {

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>)
    return value;
  else if constexpr (std::is_same_v<To, bool>)
    return widen(value) != 0;
  else if constexpr (std::is_integral_v<From> && std::is_arithmetic_v<To>)
    return static_cast<To>(value);
  else
    return narrow<To>(widen(value));
}

}  // namespace

Outcome cast(const Call& call) {
  const Tensor& x = call.in(0);
  const DType to = call.node.op == "CastLike" ? call.in(1).type.dtype : onnx_type(call.node.integer("to", 0));
  if (to == DType::undefined)
    return call.error("attribute to is not an element type that is supported",
                      onnx_type_name(call.node.integer("to", 0)));
  Result<Buffer> y = call.allocate(to, *x.type.dims);
  if (!y) return failure;
  const bool known = dispatch(x.type.dtype, [&]<class From>() {
    const std::span<const From> in = elements<From>(x);
    (void)dispatch(to, [&]<class To>() {
      const std::span<To> out = y->as<To>();
      for (std::size_t i = 0; i < in.size(); ++i) out[i] = convert<To>(in[i]);
    });
  });
  if (!known) return call.unsupported_dtype(0, "a type of whole bytes");
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
