// Clip: min(max(x, low), high) with optional bounds.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

// Bounds of quantised values are given in real units.
struct RealBounds {
  std::optional<float> low, high;
};

Result<RealBounds> real_bounds(const Call& call) {
  RealBounds bounds;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    if (call.find(i) == nullptr) continue;
    const Result<double> value = call.scalar(i);
    if (!value) return failure;
    (i == 1 ? bounds.low : bounds.high) = static_cast<float>(*value);
  }
  return bounds;
}

Outcome clip_quantised(const Call& call) {
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  const Result<RealBounds> bounds = real_bounds(call);
  if (!in || !out || !bounds) return failure;
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::int64_t& v : values) {
    if (call.tflite()) {
      // RELU6 and its like clamp in the input's units and do not requantise, whatever the output's scale.
      if (bounds->low) v = std::max(v, quantise(*bounds->low, *in, Requant::tflite));
      if (bounds->high) v = std::min(v, quantise(*bounds->high, *in, Requant::tflite));
    } else {
      float real = dequantise(v, *in);
      if (bounds->low) real = std::max(real, *bounds->low);
      if (bounds->high) real = std::min(real, *bounds->high);
      v = quantise(real, *out, Requant::onnx);
    }
  }
  return single(from_integers(call, call.declared()->dtype, *call.in(0).type.dims, values));
}

template <class T>
bool less(T a, T b) {
  if constexpr (kIsFloat<T>)
    return widen(a) < widen(b);
  else
    return a < b;
}

}  // namespace

Outcome clip(const Call& call) {
  if (is_quantised(call)) return clip_quantised(call);
  const Tensor& x = call.in(0);
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    if (call.find(i) == nullptr) continue;
    // Before opset 11 the bounds are attributes, which are f32.
    const bool from_attribute = call.node.version < 11 && call.in(i).type.dtype == DType::f32;
    if (!from_attribute && !call.same_dtype(0, i)) return failure;
    if (call.in(i).type.elements() != 1) return call.error("a bound must have one element", describe(call.in(i)));
  }
  Result<Buffer> y = call.allocate(x.type.dtype, *x.type.dims);
  if (!y) return failure;
  const bool known = dispatch(x.type.dtype, [&]<class T>() {
    const std::span<const T> in = elements<T>(x);
    const std::span<T> out = y->as<T>();
    std::copy(in.begin(), in.end(), out.begin());
    const auto bound = [&](std::size_t i) {
      if (call.in(i).type.dtype == x.type.dtype) return elements<T>(call.in(i))[0];
      return narrow<T>(widen(elements<float>(call.in(i))[0]));
    };
    if (call.find(1) != nullptr)
      for (T& v : out) v = less(v, bound(1)) ? bound(1) : v;
    if (call.find(2) != nullptr)
      for (T& v : out) v = less(bound(2), v) ? bound(2) : v;
  });
  if (!known) return call.unsupported_dtype(0, "a number");
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
