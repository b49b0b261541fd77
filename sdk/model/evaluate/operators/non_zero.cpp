// NonZero and Compress: results whose length depends on the elements.
#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

// [rank, count]: the indices of the elements that are not zero; [count, rank] with the attribute rows.
Outcome non_zero(const Call& call) {
  const Tensor& x = call.in(0);
  // A scalar counts as a vector of one element, as NumPy has it.
  const Dims from = x.type.dims->empty() ? Dims{1} : *x.type.dims;
  std::vector<std::int64_t> found;
  const bool known = dispatch(x.type.dtype, [&]<class T>() {
    const std::span<const T> in = elements<T>(x);
    for (std::size_t i = 0; i < in.size(); ++i)
      if (widen(in[i]) != 0) found.push_back(static_cast<std::int64_t>(i));
  });
  if (!known) return call.unsupported_dtype(0, "a type of whole bytes");
  const auto count = static_cast<std::int64_t>(found.size());
  const bool rows = call.node.integer("rows", 0) != 0;
  const auto rank = static_cast<std::int64_t>(from.size());
  Result<Buffer> y = call.allocate(DType::i64, rows ? Dims{count, rank} : Dims{rank, count});
  if (!y) return failure;
  const Dims strides = row_major_strides(from);
  for (std::size_t d = 0; d < from.size(); ++d)
    for (std::size_t i = 0; i < found.size(); ++i)
      y->as<std::int64_t>()[rows ? i * from.size() + d : d * found.size() + i] = found[i] / strides[d] % from[d];
  return single(std::move(*y));
}

// The slices along `axis` (or, without one, the elements) whose condition is true. The condition may be shorter.
Outcome compress(const Call& call) {
  const Tensor& x = call.in(0);
  const Tensor& condition = call.in(1);
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mover || !check_moved_quantisation(call, 0)) return failure;
  if (condition.type.dtype != DType::boolean) return call.unsupported_dtype(1, "bool");
  Dims from = *x.type.dims;
  std::size_t axis = 0;
  if (const auto* given = call.node.find<std::int64_t>("axis")) {
    const Result<std::size_t> a = call.axis(*given, from.size());
    if (!a) return failure;
    axis = *a;
  } else {
    from = {x.type.elements()};
  }
  if (condition.type.dims->size() != 1)
    return call.error("the condition has the wrong rank", describe(condition), "bool[n]");
  // Conditions beyond the end count for nothing.
  const std::span<const bool> all = elements<bool>(condition);
  const auto wanted = all.first(std::min(all.size(), static_cast<std::size_t>(from[axis])));
  Dims dims = from;
  dims[axis] = std::count(wanted.begin(), wanted.end(), true);
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!y) return failure;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < from.size(); ++d) (d < axis ? outer : inner) *= d == axis ? 1 : from[d];
  std::int64_t target = 0;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i]) {
        mover->copy(x, (o * from[axis] + static_cast<std::int64_t>(i)) * inner, *y, target, inner);
        target += inner;
      }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
