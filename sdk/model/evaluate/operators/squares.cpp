// Determinants and inverses of the matrices in the last two dims, by elimination with pivots in double.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"

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

// The inverse; infinities and NaN where there is none.
std::vector<double> inverse_of(std::vector<double> m, std::size_t n) {
  std::vector<double> y(n * n);
  for (std::size_t i = 0; i < n; ++i) y[i * n + i] = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::fabs(m[r * n + c]) > std::fabs(m[pivot * n + c])) pivot = r;
    for (std::size_t k = 0; k < n; ++k) {
      std::swap(m[c * n + k], m[pivot * n + k]);
      std::swap(y[c * n + k], y[pivot * n + k]);
    }
    const double scale = 1 / m[c * n + c];
    for (std::size_t k = 0; k < n; ++k) {
      m[c * n + k] *= scale;
      y[c * n + k] *= scale;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = m[r * n + c];
      if (r == c) continue;
      for (std::size_t k = 0; k < n; ++k) {
        m[r * n + k] -= factor * m[c * n + k];
        y[r * n + k] -= factor * y[c * n + k];
      }
    }
  }
  return y;
}

// Concatenates the results of `compute` for each matrix, in the shape `out`.
Outcome of_squares(const Call& call, const Dims& out,
                   std::vector<double> (*compute)(std::vector<double>, std::size_t)) {
  const auto n = static_cast<std::size_t>(call.in(0).type.dims->back());
  const std::vector<double> x = reals(call.in(0));
  std::int64_t count = 1;
  for (std::size_t d = 0; d + 2 < call.in(0).type.dims->size(); ++d) count *= (*call.in(0).type.dims)[d];
  if (!product(out) || !call.allocate(call.in(0).type.dtype, out)) return failure;
  std::vector<double> y;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(i * n * n);
    const std::vector<double> one = compute({first, first + static_cast<std::ptrdiff_t>(n * n)}, n);
    y.insert(y.end(), one.begin(), one.end());
  }
  return single(call.from_reals(call.in(0).type.dtype, out, y));
}

Result<void> want_squares(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  if (!is_float(call.in(0).type.dtype)) return call.unsupported_dtype(0, "a float");
  if (dims.size() < 2 || dims[dims.size() - 1] != dims[dims.size() - 2])
    return call.error("the last two dims must be those of a square matrix", describe(call.in(0)));
  return {};
}

}  // namespace

Outcome inverse(const Call& call) {
  if (!want_squares(call)) return failure;
  return of_squares(call, *call.in(0).type.dims, inverse_of);
}

Outcome det(const Call& call) {
  if (!want_squares(call)) return failure;
  const Dims& dims = *call.in(0).type.dims;
  return of_squares(call, {dims.begin(), dims.end() - 2}, [](std::vector<double> m, std::size_t n) {
    return std::vector<double>{determinant(std::move(m), n)};
  });
}

}  // namespace byoc::evaluate
