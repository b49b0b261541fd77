// ConvInteger: sums of products of 8-bit integers less their zero points, as i32 (which wraps around).
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/convolution.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

Outcome conv_integer(const Call& call) {
  const auto is_byte = [](DType t) { return t == DType::i8 || t == DType::u8; };
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (!is_byte(call.in(i).type.dtype)) return call.unsupported_dtype(i, "i8 or u8");
  const Result<Convolution> c = read_convolution(call, 0, 1);
  if (!c) return failure;
  std::int64_t x_zero = 0;
  if (call.find(2) != nullptr) {
    if (!call.same_dtype(0, 2)) return failure;
    if (call.in(2).type.elements() != 1) return call.error("input 2 must have one element", describe(call.in(2)));
    x_zero = whole_numbers(call.in(2))[0];
  }
  std::vector<std::int64_t> w_zero{0};
  if (call.find(3) != nullptr) {
    if (!call.same_dtype(1, 3)) return failure;
    w_zero = whole_numbers(call.in(3));
    if (w_zero.size() != 1 && static_cast<std::int64_t>(w_zero.size()) != c->out.channels)
      return call.error("input 3 must have one element, or one for each output channel", describe(call.in(3)));
  }
  const std::vector<std::int32_t> x = centred(call.in(0), x_zero);
  const std::vector<std::int32_t> w = centred_filter(*c, call.in(1), w_zero);
  const std::vector<std::int64_t> y = convolve<std::int64_t>(*c, std::span(x), std::span(w));
  Result<Buffer> out = call.allocate(DType::i32, c->out.dims());
  if (!out) return failure;
  for (std::size_t i = 0; i < y.size(); ++i) out->as<std::int32_t>()[i] = static_cast<std::int32_t>(y[i]);
  return single(std::move(*out));
}

}  // namespace byoc::evaluate
