// Shape: the dims of the input from `start` to `end`, as i64; Size: their product.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {

Outcome shape(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  const auto rank = static_cast<std::int64_t>(dims.size());
  auto bound = [&](const char* key, std::int64_t otherwise) {
    const std::int64_t at = std::clamp(call.node.integer(key, otherwise), -rank, rank);
    return at < 0 ? at + rank : at;
  };
  const std::int64_t start = bound("start", 0);
  const std::int64_t end = std::max(start, bound("end", rank));
  Result<Buffer> y = call.allocate(DType::i64, {end - start});
  if (!y) return failure;
  std::copy(dims.begin() + start, dims.begin() + end, y->as<std::int64_t>().begin());
  return single(std::move(*y));
}

Outcome size(const Call& call) {
  Result<Buffer> y = call.allocate(DType::i64, {});
  if (!y) return failure;
  y->as<std::int64_t>()[0] = call.in(0).type.elements();
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
