// Trilu: the upper or lower triangle of matrices, the rest zero; diagonal k counts upwards.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome trilu(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  const bool upper = call.node.integer("upper", 1) != 0;
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mover || !check_moved_quantisation(call, 0)) return failure;
  if (dims.size() < 2) return call.error("needs matrices", describe(x), "rank 2 or more");
  if (const Quantisation* q = call.quantisation_of(0))
    for (const std::int64_t zero : q->zero_points)
      if (zero != 0) return call.error("zeroes quantised values", "zero point " + std::to_string(zero), "0");
  std::int64_t k = 0;
  if (call.find(1) != nullptr) {
    const auto given = call.integers(1);
    if (!given) return failure;
    if (given->size() != 1) return call.error("k must have one element", describe(call.in(1)));
    k = (*given)[0];
  }
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!y) return failure;
  const std::int64_t rows = dims[dims.size() - 2], columns = dims.back();
  for (std::int64_t i = 0; i < y->type.elements(); ++i) {
    const std::int64_t row = i / columns % rows, column = i % columns;
    const std::int64_t diagonal = column - row;
    if (upper ? diagonal >= k : diagonal <= k) mover->copy(x, i, *y, i);
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
