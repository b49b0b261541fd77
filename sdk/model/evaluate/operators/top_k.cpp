// TopK along one axis, the best first; of equal elements the one with the lower index comes first. NaN counts as larger
// than every number. The order is the same whether or not `sorted` asks for one.
#include <algorithm>
#include <numeric>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"
#include "sdk/model/evaluate/operators/sort_keys.hpp"

namespace byoc::evaluate {

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
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(from[*axis]));
  std::vector<std::int64_t> order(keys.size());
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      const std::int64_t start = o * from[*axis] * inner + i;
      if (!sort_keys(x, start, inner, keys)) return call.unsupported_dtype(0, "a number");
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const std::uint64_t ka = keys[static_cast<std::size_t>(a)], kb = keys[static_cast<std::size_t>(b)];
        return largest ? kb < ka : ka < kb;
      });
      for (std::int64_t n = 0; n < (*k)[0]; ++n) {
        const std::int64_t to = (o * (*k)[0] + n) * inner + i;
        mover->copy(x, start + order[static_cast<std::size_t>(n)] * inner, *values, to);
        indices->as<std::int64_t>()[static_cast<std::size_t>(to)] = order[static_cast<std::size_t>(n)];
      }
    }
  std::vector<Tensor> out;
  out.push_back(std::move(*values).finish());
  out.push_back(std::move(*indices).finish());
  return out;
}

}  // namespace byoc::evaluate
