// byoc.Bucketize: how many of the ascending boundaries an element is not below. Integers are compared as float32; NaN
// is below none.
#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {

Outcome bucketize(const Call& call) {
  const Tensor& x = call.in(0);
  if (call.in(1).type.dtype != DType::f32) return call.unsupported_dtype(1, "f32");
  const std::span<const float> boundaries = elements<float>(call.in(1));
  for (std::size_t i = 1; i < boundaries.size(); ++i)
    if (!(boundaries[i - 1] <= boundaries[i]))
      return call.error("the boundaries do not ascend",
                        std::to_string(boundaries[i - 1]) + " before " + std::to_string(boundaries[i]));
  Result<Buffer> y = call.allocate(DType::i32, *x.type.dims);
  if (!y) return failure;
  const auto count = [&]<class Real>(Real v) {
    std::int32_t bucket = 0;
    for (const float b : boundaries) bucket += v < static_cast<Real>(b) ? 0 : 1;
    return bucket;
  };
  const std::span<std::int32_t> out = y->as<std::int32_t>();
  const auto fill = [&]<class T, class Real>() {
    const std::span<const T> in = elements<T>(x);
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = count(static_cast<Real>(in[i]));
  };
  switch (x.type.dtype) {
    case DType::f32: fill.operator()<float, float>(); break;
    case DType::f64: fill.operator()<double, double>(); break;
    case DType::i32: fill.operator()<std::int32_t, float>(); break;
    case DType::i64: fill.operator()<std::int64_t, float>(); break;
    default: return call.unsupported_dtype(0, "f32, f64, i32 or i64");
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
