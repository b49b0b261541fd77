// ArgMax and ArgMin: the index of the first, or last, of the extreme elements along an axis. A NaN is more than
// extreme.
#include <cmath>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

template <class T>
bool is_better(T v, T best, bool largest, bool last) {
  if constexpr (kIsFloat<T>) {
    const double a = widen(v), b = widen(best);
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && (last || !std::isnan(b));
    return a == b ? last : (a > b) == largest;
  } else {
    return v == best ? last : (v > best) == largest;
  }
}

Outcome arg(const Call& call, bool largest) {
  const Dims& dims = *call.in(0).type.dims;
  const std::int64_t given = call.node.integer("axis", 0);
  const Result<std::size_t> axis = dims.empty() && (given == 0 || given == -1) ? 0 : call.axis(given, dims.size());
  if (!axis) return failure;
  const bool keep = call.node.integer("keepdims", 1) != 0, last = call.node.integer("select_last_index", 0) != 0;
  std::int64_t outer = 1, count = 1, inner = 1;
  Dims out;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    (i < *axis ? outer : i == *axis ? count : inner) *= dims[i];
    if (i != *axis)
      out.push_back(dims[i]);
    else if (keep)
      out.push_back(1);
  }
  Result<Buffer> y = call.allocate(DType::i64, out);
  if (!y) return failure;
  const bool has_results = outer != 0 && inner != 0;
  if (count == 0 && has_results) return call.error("an empty axis has no largest element", describe(call.in(0)));
  bool known = false;
  (void)dispatch(call.in(0).type.dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      known = true;
      const std::span<const T> x = elements<T>(call.in(0));
      for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t i = 0; i < inner; ++i) {
          const auto at = [&](std::int64_t k) { return x[static_cast<std::size_t>((o * count + k) * inner + i)]; };
          std::int64_t best = 0;
          for (std::int64_t k = 1; k < count; ++k)
            if (is_better(at(k), at(best), largest, last)) best = k;
          y->as<std::int64_t>()[static_cast<std::size_t>(o * inner + i)] = best;
        }
    }
  });
  if (!known) return call.unsupported_dtype(0, "a number");
  return single(std::move(*y));
}

}  // namespace

Outcome arg_max(const Call& call) { return arg(call, true); }
Outcome arg_min(const Call& call) { return arg(call, false); }

}  // namespace byoc::evaluate
