// DFT and STFT by their definition. Complex numbers are a last dim of 2, real ones of 1.
#include <cmath>
#include <numbers>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

struct Complex {
  double re = 0, im = 0;
};

// Element k of the transform of n numbers: x(t) for t in [0, n).
template <class F>
Complex transform_element(std::int64_t n, std::int64_t k, bool inverse, F&& x) {
  Complex sum;
  for (std::int64_t t = 0; t < n; ++t) {
    // k * t mod n keeps the angle small and exact; a result has fewer than 2^30 elements.
    const std::int64_t turn = k * t % n;
    const double angle = (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(turn) / static_cast<double>(n);
    const Complex v = x(t);
    sum.re += v.re * std::cos(angle) - v.im * std::sin(angle);
    sum.im += v.re * std::sin(angle) + v.im * std::cos(angle);
  }
  if (inverse) {
    sum.re /= static_cast<double>(n);
    sum.im /= static_cast<double>(n);
  }
  return sum;
}

Result<std::int64_t> whole(const Call& call, std::size_t i) {
  const Result<std::vector<std::int64_t>> values = call.integers(i);
  if (!values) return failure;
  if (values->size() != 1)
    return call.error("input " + std::to_string(i) + " must have one element", describe(call.in(i)));
  return (*values)[0];
}

}  // namespace

Outcome dft(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  if (!is_float(x.type.dtype)) return call.unsupported_dtype(0, "a float");
  if (dims.size() < 2 || (dims.back() != 1 && dims.back() != 2))
    return call.error("the last dim must be 1 (real) or 2 (complex)", describe(x));
  std::int64_t given_axis = -2;
  if (call.find(2) != nullptr) {
    const Result<std::int64_t> a = whole(call, 2);
    if (!a) return failure;
    given_axis = *a;
  }
  const Result<std::size_t> axis = call.axis(given_axis, dims.size());
  if (!axis) return failure;
  if (*axis + 1 == dims.size()) return call.error("axis must not be the last one", std::to_string(given_axis));
  const bool one_sided = call.node.integer("onesided", 0) != 0, inverse = call.node.integer("inverse", 0) != 0;
  if (one_sided && dims.back() != (inverse ? 2 : 1))
    return call.error("onesided needs real numbers, or complex ones with inverse", describe(x));
  // The transform of real numbers is its own mirror image, so that half of it says them all.
  const bool half = one_sided && inverse;
  std::int64_t n = half ? 2 * (dims[*axis] - 1) : dims[*axis];
  if (call.find(1) != nullptr) {
    const Result<std::int64_t> length = whole(call, 1);
    if (!length) return failure;
    n = *length;
  }
  Dims out = dims;
  out[*axis] = one_sided && !inverse ? n / 2 + 1 : n;
  out.back() = half ? 1 : 2;
  if (!call.allocate(x.type.dtype, out)) return failure;
  const std::vector<double> values = reals(x);
  std::vector<double> y(static_cast<std::size_t>(*product(out)));
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < *axis; ++d) outer *= dims[d];
  for (std::size_t d = *axis + 1; d + 1 < dims.size(); ++d) inner *= dims[d];
  const std::int64_t parts = dims.back();
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t k = 0; k < out[*axis]; ++k)
      for (std::int64_t i = 0; i < inner; ++i) {
        const Complex v = transform_element(n, k, inverse, [&](std::int64_t t) -> Complex {
          const bool mirrored = half && t > n / 2;
          const std::int64_t from = mirrored ? n - t : t;
          if (from >= dims[*axis]) return {};  // filled up with zeros
          const auto at = static_cast<std::size_t>(((o * dims[*axis] + from) * inner + i) * parts);
          return {values[at], parts != 2 ? 0 : mirrored ? -values[at + 1] : values[at + 1]};
        });
        const auto to = static_cast<std::size_t>(((o * out[*axis] + k) * inner + i) * out.back());
        y[to] = v.re;
        if (!half) y[to + 1] = v.im;
      }
  return single(call.from_reals(x.type.dtype, out, y));
}

Outcome stft(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  if (!is_float(x.type.dtype)) return call.unsupported_dtype(0, "a float");
  if (dims.size() < 2 || dims.size() > 3 || (dims.size() == 3 && dims[2] != 1 && dims[2] != 2))
    return call.error("the signal must be [batch, samples] with a last dim of 1 or 2", describe(x));
  const std::int64_t parts = dims.size() == 3 ? dims[2] : 1;
  const Result<std::int64_t> step = whole(call, 1);
  if (!step) return failure;
  std::int64_t length = 0;
  std::vector<double> window;
  if (call.find(2) != nullptr) {
    if (!call.same_dtype(0, 2)) return failure;
    window = reals(call.in(2));
    length = static_cast<std::int64_t>(window.size());
  }
  if (call.find(3) != nullptr) {
    const Result<std::int64_t> given = whole(call, 3);
    if (!given) return failure;
    if (!window.empty() && length != *given)
      return call.error("frame_length is not the window's", std::to_string(*given), std::to_string(length));
    length = *given;
  }
  const bool one_sided = call.node.integer("onesided", 1) != 0;
  if (one_sided && parts == 2) return call.error("onesided needs real numbers", describe(x));
  if (*step < 1 || length < 1 || length > dims[1])
    return call.error("a frame does not fit into the signal",
                      std::to_string(length) + " samples, step " + std::to_string(*step), describe(x));
  const Dims out{dims[0], (dims[1] - length) / *step + 1, one_sided ? length / 2 + 1 : length, 2};
  if (!call.allocate(x.type.dtype, out)) return failure;
  const std::vector<double> values = reals(x);
  std::vector<double> y;
  for (std::int64_t b = 0; b < out[0]; ++b)
    for (std::int64_t f = 0; f < out[1]; ++f)
      for (std::int64_t k = 0; k < out[2]; ++k) {
        const Complex v = transform_element(length, k, false, [&](std::int64_t t) -> Complex {
          const auto at = static_cast<std::size_t>((b * dims[1] + f * *step + t) * parts);
          const double w = window.empty() ? 1 : window[static_cast<std::size_t>(t)];
          return {w * values[at], parts == 2 ? w * values[at + 1] : 0};
        });
        y.push_back(v.re);
        y.push_back(v.im);
      }
  return single(call.from_reals(x.type.dtype, out, y));
}

}  // namespace byoc::evaluate
