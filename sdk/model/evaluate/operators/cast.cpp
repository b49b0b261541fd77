// Cast, and CastLike: to another element type. Floats to integers drop the fraction; integers to narrower ones keep the
// low bits, and so do floats to integers of fewer than 8 bits, which are rounded first, half away from 0: ONNX is
// silent about their fractions, and ONNX Runtime rounds.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/cast_text.hpp"
#include "sdk/model/evaluate/ranks.hpp"
#include "sdk/model/evaluate/small_element.hpp"
#include "sdk/model/ir/onnx_types.hpp"

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

// Calls f(value) for each element: an integer for those of integers and bool, a double for those of floats.
template <class F>
void each_number(const Tensor& x, F&& f) {
  if (const SmallFloat* format = small_float(x.type.dtype)) {
    for (const unsigned c : codes(x)) f(decode_small(*format, c));
  } else if (is_small(x.type.dtype)) {
    for (const std::int64_t v : whole_numbers(x)) f(v);
  } else {
    (void)dispatch(x.type.dtype, [&]<class From>() {
      for (const From v : elements<From>(x)) {
        if constexpr (std::is_integral_v<From>)
          f(v);
        else
          f(widen(v));
      }
    });
  }
}

Result<SmallRounding> rounding_of(const Call& call) {
  SmallRounding out;
  out.saturate = call.node.integer("saturate", 1) != 0;
  const std::string mode = call.node.text("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    return call.error("attribute round_mode is not one of its values", mode, "up, down or nearest");
  out.scale = mode == "up" ? ScaleRounding::up : mode == "down" ? ScaleRounding::down : ScaleRounding::nearest;
  return out;
}

Outcome to_small(const Call& call, DType to, Buffer y) {
  const Result<SmallRounding> rounding = rounding_of(call);
  if (!rounding) return failure;
  std::vector<unsigned> out;
  each_number(call.in(0), [&](auto v) {
    if (const SmallFloat* format = small_float(to))
      out.push_back(encode_small(*format, static_cast<double>(v), *rounding));
    else if constexpr (std::is_same_v<decltype(v), double>)
      out.push_back(small_code(to, narrow<std::int32_t>(std::round(v))));
    else
      out.push_back(small_code(to, static_cast<std::int64_t>(v)));
  });
  y.bytes = packed(to, out);
  return single(std::move(y));
}

}  // namespace

Outcome cast(const Call& call) {
  const Tensor& x = call.in(0);
  const DType to = call.node.op == "CastLike" ? call.in(1).type.dtype : ir::onnx_type(call.node.integer("to", 0));
  if (to == DType::undefined)
    return call.error("attribute to is not an element type that is supported",
                      ir::onnx_type_name(call.node.integer("to", 0)));
  if (to == DType::string || is_text(x)) return cast_text(call, to);
  Result<Buffer> y = call.allocate(to, *x.type.dims);
  if (!y) return failure;
  if (x.type.dtype == to) {
    y->bytes.assign(x.bytes.bytes().begin(), x.bytes.bytes().end());
  } else if (is_small(to)) {
    return to_small(call, to, std::move(*y));
  } else if (is_small(x.type.dtype)) {
    (void)dispatch(to, [&]<class To>() {
      std::size_t i = 0;
      each_number(x, [&](auto v) { y->as<To>()[i++] = convert<To>(v); });
    });
  } else {
    (void)dispatch(x.type.dtype, [&]<class From>() {
      const std::span<const From> in = elements<From>(x);
      (void)dispatch(to, [&]<class To>() {
        const std::span<To> out = y->as<To>();
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = convert<To>(in[i]);
      });
    });
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
