// TopK along one axis, the best first; of equal elements the one with the lower index comes first. NaN counts as larger
// than every number. The order is the same whether or not `sorted` asks for one.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {
namespace {

template <class T>
bool ranks_below(T a, T b) {
  if constexpr (kIsFloat<T>) {
    const double x = widen(a), y = widen(b);
    return !std::isnan(x) && (std::isnan(y) || x < y);
  } else {
    return a < b;
  }
}

}  // namespace

Outcome top_k(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& from = *x.type.dims;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", -1), from.size());
  const auto k = call.integers(1);
  const bool largest = call.node.integer("largest", 1) != 0;
  const Result<Mover> mover = Mover::make(call, 0);
  if (!axis || !k || !mover || !check_moved_quantisation(call, 0)) return failure;
  if (k->size() != 1 || (*k)[0] < 0 || (*k)[0] > from[*axis])
    return call.error("k does not fit the axis", describe(*k), "0 to " + std::to_string(from[*axis]));
  Dims dims = from;
  dims[*axis] = (*k)[0];
  Result<Buffer> values = call.allocate(x.type.dtype, dims);
  Result<Buffer> indices = call.allocate(DType::i64, dims, 1);
  if (!values || !indices) return failure;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < from.size(); ++d) (d < *axis ? outer : inner) *= d == *axis ? 1 : from[d];
  const bool known = dispatch(x.type.dtype, [&]<class T>() {
    const std::span<const T> in = elements<T>(x);
    std::vector<std::int64_t> order(static_cast<std::size_t>(from[*axis]));
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; ++i) {
        const auto at = [&](std::int64_t n) { return (o * from[*axis] + n) * inner + i; };
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
          const T va = in[static_cast<std::size_t>(at(a))], vb = in[static_cast<std::size_t>(at(b))];
          return largest ? ranks_below(vb, va) : ranks_below(va, vb);
        });
        for (std::int64_t n = 0; n < (*k)[0]; ++n) {
          const std::int64_t to = (o * (*k)[0] + n) * inner + i;
          mover->copy(x, at(order[static_cast<std::size_t>(n)]), *values, to);
          indices->as<std::int64_t>()[static_cast<std::size_t>(to)] = order[static_cast<std::size_t>(n)];
        }
      }
  });
  if (!known) return call.unsupported_dtype(0, "a number");
  std::vector<Tensor> out;
  out.push_back(std::move(*values).finish());
  out.push_back(std::move(*indices).finish());
  return out;
}

}  // namespace byoc::evaluate
