// Det: determinants of the matrices in the last two dims, by elimination with pivots in double.
#include <cmath>

#include "sdk/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

double determinant(std::vector<double> m, std::size_t n) {
  double result = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::fabs(m[r * n + c]) > std::fabs(m[pivot * n + c])) pivot = r;
    if (m[pivot * n + c] == 0) return 0;
    if (pivot != c) {
      for (std::size_t k = 0; k < n; ++k) std::swap(m[c * n + k], m[pivot * n + k]);
      result = -result;
    }
    result *= m[c * n + c];
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = m[r * n + c] / m[c * n + c];
      for (std::size_t k = c; k < n; ++k) m[r * n + k] -= factor * m[c * n + k];
    }
  }
  return result;
}

}  // namespace

Outcome det(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  if (!is_float(call.in(0).type.dtype)) return call.unsupported_dtype(0, "a float");
  if (dims.size() < 2 || dims[dims.size() - 1] != dims[dims.size() - 2])
    return call.error("the last two dims must be those of a square matrix", describe(call.in(0)));
  const auto n = static_cast<std::size_t>(dims.back());
  const Dims out(dims.begin(), dims.end() - 2);
  const std::vector<double> x = reals(call.in(0));
  const std::optional<std::int64_t> count = product(out);
  if (!count || !call.allocate(call.in(0).type.dtype, out)) return failure;
  std::vector<double> y;
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(i * n * n);
    y.push_back(determinant({first, first + static_cast<std::ptrdiff_t>(n * n)}, n));
  }
  return single(call.from_reals(call.in(0).type.dtype, out, y));
}

}  // namespace byoc::evaluate
