// Unique: the different elements, or slices along `axis`; sorted, or in the order of their first appearance.
#include <algorithm>
#include <numeric>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"
#include "sdk/model/evaluate/operators/sort_keys.hpp"

namespace byoc::evaluate {
namespace {

struct Found {
  std::vector<std::int64_t> first;    // of each different slice, where it appears first
  std::vector<std::int64_t> inverse;  // for every slice, which of the different ones it is
  std::vector<std::int64_t> counts;
};

// `compare(a, b)` is negative, zero or positive.
template <class Compare>
Found find(std::int64_t count, bool sorted, Compare&& compare) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return compare(a, b) < 0; });
  std::vector<std::vector<std::int64_t>> groups;
  for (const std::int64_t i : order) {
    if (groups.empty() || compare(groups.back()[0], i) != 0) groups.emplace_back();
    groups.back().push_back(i);
  }
  if (!sorted) std::sort(groups.begin(), groups.end());
  Found out;
  out.inverse.resize(order.size());
  for (const auto& group : groups) {
    for (const std::int64_t i : group) out.inverse[static_cast<std::size_t>(i)] = std::ssize(out.first);
    out.first.push_back(group[0]);
    out.counts.push_back(std::ssize(group));
  }
  return out;
}

}  // namespace

Outcome unique(const Call& call) {
  const Tensor& x = call.in(0);
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mover || !check_moved_quantisation(call, 0)) return failure;
  Dims from = *x.type.dims;
  std::size_t axis = 0;
  if (const auto* given = call.node.find<std::int64_t>("axis")) {
    const Result<std::size_t> a = call.axis(*given, from.size());
    if (!a) return failure;
    axis = *a;
  } else {
    from = {x.type.elements()};
  }
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < from.size(); ++d) (d < axis ? outer : inner) *= d == axis ? 1 : from[d];
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(x.type.elements()));
  if (!sort_keys(x, 0, 1, keys)) return call.unsupported_dtype(0, "a type of whole bytes");
  const Found found = find(from[axis], call.node.integer("sorted", 1) != 0, [&](std::int64_t a, std::int64_t b) {
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; ++i) {
        const auto at = [&](std::int64_t n) {
          return keys[static_cast<std::size_t>((o * from[axis] + n) * inner + i)];
        };
        if (const auto order = at(a) <=> at(b); order != 0) return order < 0 ? -1 : 1;
      }
    return 0;
  });
  Dims dims = from;
  dims[axis] = std::ssize(found.first);
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!y) return failure;
  std::int64_t target = 0;
  for (std::int64_t o = 0; o < outer; ++o)
    for (const std::int64_t i : found.first) {
      mover->copy(x, (o * from[axis] + i) * inner, *y, target, inner);
      target += inner;
    }
  std::vector<Tensor> out;
  out.push_back(std::move(*y).finish());
  for (const auto* list : {&found.first, &found.inverse, &found.counts}) {
    Result<Buffer> b = call.allocate(DType::i64, {std::ssize(*list)}, out.size());
    if (!b) return failure;
    std::copy(list->begin(), list->end(), b->as<std::int64_t>().begin());
    out.push_back(std::move(*b).finish());
  }
  return out;
}

}  // namespace byoc::evaluate
