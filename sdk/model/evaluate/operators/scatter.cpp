// ScatterElements and ScatterND: the data with updates written, or reduced into it, where the indices say; in the order
// of the indices.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/indexing.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {
namespace {

enum class Reduction { none, add, mul, min, max };

Result<Reduction> read_scatter_reduction(const Call& call) {
  const std::string name = call.node.text("reduction", "none");
  if (name == "none") return Reduction::none;
  const bool moves_order = name == "min" || name == "max";
  if (name != "add" && name != "mul" && !moves_order)
    return call.error("unknown reduction", name, "none, add, mul, min or max");
  if (call.quantisation_of(0) != nullptr && !moves_order)
    return call.error("does not reduce quantised values", name, "none, min or max");
  return name == "add"   ? Reduction::add
         : name == "mul" ? Reduction::mul
         : name == "min" ? Reduction::min
                         : Reduction::max;
}

template <class T>
T scatter_reduced(Reduction how, T old, T update) {
  if (how == Reduction::none) return update;
  if constexpr (std::is_same_v<T, bool>) {
    return how == Reduction::add || how == Reduction::max ? old || update : old && update;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::uint64_t;  // wraps around
    if (how == Reduction::add) return static_cast<T>(static_cast<U>(old) + static_cast<U>(update));
    if (how == Reduction::mul) return static_cast<T>(static_cast<U>(old) * static_cast<U>(update));
    return (how == Reduction::min) == (update < old) ? update : old;
  } else {
    // In float32 but for f64; NaN wins.
    using R = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const R a = static_cast<R>(widen(old)), b = static_cast<R>(widen(update));
    if (how == Reduction::add) return narrow<T>(static_cast<double>(static_cast<R>(a + b)));
    if (how == Reduction::mul) return narrow<T>(static_cast<double>(static_cast<R>(a * b)));
    if (std::isnan(a)) return old;
    return std::isnan(b) || (how == Reduction::min ? b < a : b > a) ? update : old;
  }
}

// A copy of operand 0, and the updates reduced into runs of `inner` elements at `starts`.
Outcome scatter(const Call& call, const std::vector<std::int64_t>& starts, std::int64_t inner) {
  const Result<Reduction> how = read_scatter_reduction(call);
  if (!how || !call.same_dtype(0, 2) || !check_moved_quantisation(call, 0) || !check_moved_quantisation(call, 2))
    return failure;
  const Tensor& x = call.in(0);
  Result<Buffer> y = call.allocate(x.type.dtype, *x.type.dims);
  if (!y) return failure;
  std::copy_n(x.bytes.data(), x.bytes.size(), y->bytes.begin());
  const bool known = dispatch(x.type.dtype, [&]<class T>() {
    const std::span<const T> updates = elements<T>(call.in(2));
    const std::span<T> out = y->as<T>();
    std::size_t next = 0;
    for (const std::int64_t start : starts)
      for (std::int64_t i = 0; i < inner; ++i, ++next) {
        T& to = out[static_cast<std::size_t>(start + i)];
        to = scatter_reduced(*how, to, updates[next]);
      }
  });
  if (!known) return call.unsupported_dtype(0, "a type of whole bytes");
  return single(std::move(*y));
}

}  // namespace

Outcome scatter_elements(const Call& call) {
  if (*call.in(1).type.dims != *call.in(2).type.dims)
    return call.error("indices and updates differ in shape", describe(call.in(2)), describe(call.in(1)));
  const auto positions = element_positions(call);
  if (!positions) return failure;
  return scatter(call, *positions, 1);
}

Outcome scatter_nd(const Call& call) {
  const Result<Slices> slices = tuple_slices(call, 0);
  if (!slices) return failure;
  if (*call.in(2).type.dims != slices->dims)
    return call.error("the updates do not fit the indices", describe(call.in(2)), describe(slices->dims));
  return scatter(call, slices->starts, slices->inner);
}

}  // namespace byoc::evaluate
