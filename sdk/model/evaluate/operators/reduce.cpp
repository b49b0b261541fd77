// The reductions over axes given as an operand; quantised sums, means, maxima and minima.
#include <algorithm>
#include <bit>
#include <cmath>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"
#include "sdk/model/evaluate/operators/reduce.hpp"
#include "sdk/model/evaluate/quantise.hpp"
#include "sdk/model/evaluate/sum.hpp"

namespace byoc::evaluate {
namespace {

enum class Kind { sum, mean, max, min };

bool is_extreme(Kind kind) { return kind == Kind::max || kind == Kind::min; }

Result<Reduction> read_reduction(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  std::vector<std::int64_t> axes;
  if (call.find(1) != nullptr) {
    const auto given = call.integers(1);
    if (!given) return failure;
    axes = *given;
  }
  std::vector<bool> reduced(dims.size(), axes.empty() && call.node.integer("noop_with_empty_axes", 0) == 0);
  for (const std::int64_t a : axes) {
    const Result<std::size_t> d = call.axis(a, dims.size());
    if (!d) return failure;
    if (reduced[*d]) return call.error("an axis is named twice", std::to_string(a));
    reduced[*d] = true;
  }
  const bool keep = call.node.integer("keepdims", 1) != 0;
  Reduction r{{}, {}, 1, 1};
  Dims kept = dims;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (reduced[i]) r.count *= dims[i];
    if (reduced[i]) kept[i] = 1;
    if (!reduced[i] || keep) r.out.push_back(kept[i]);
    r.size *= kept[i];
  }
  r.write = row_major_strides(kept);
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (reduced[i]) r.write[i] = 0;
  return r;
}

// Sums, or maxima or minima, of the values that fall on each element of the result.
template <class T>
std::vector<T> fold(const Call& call, const Reduction& r, Kind kind, const std::vector<T>& x) {
  std::vector<T> y(static_cast<std::size_t>(r.size), T{0});
  std::vector<bool> seen(y.size(), false);
  using Total = std::conditional_t<std::is_floating_point_v<T>, T, float>;
  std::vector<BlockSum<Total>> sums(std::is_floating_point_v<T> && !is_extreme(kind) ? y.size() : 0);
  std::size_t next = 0;
  walk<1>(*call.in(0).type.dims, {r.write}, [&](const std::array<std::int64_t, 1>& at) {
    const auto to = static_cast<std::size_t>(at[0]);
    const T value = x[next++];
    bool beyond = kind == Kind::max ? value > y[to] : value < y[to];
    if constexpr (std::is_floating_point_v<T>) beyond = beyond || std::isnan(value);
    if (!is_extreme(kind)) {
      // Integers wrap around; unsigned, where that is defined.
      if constexpr (std::is_integral_v<T>)
        y[to] = static_cast<T>(static_cast<std::uint64_t>(y[to]) + static_cast<std::uint64_t>(value));
      else
        sums[to].add(value);
    } else if (!seen[to] || beyond) {
      y[to] = value;
    }
    seen[to] = true;
  });
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 0; i < sums.size(); ++i) y[i] = sums[i].total();
  return y;
}

// TFLite: 1/n goes into the multiplier, with as many extra bits as it has room for, truncated.
Outcome mean_tflite(const Call& call, const Reduction& r, Kind kind, const Affine& in, const Affine& out) {
  std::vector<std::int64_t> sums = fold(call, r, kind, whole_numbers(call.in(0)));
  Multiplier m = quantise_multiplier(static_cast<double>(in.scale) / static_cast<double>(out.scale));
  if (kind == Kind::mean && r.count > 0) {
    const int log = 63 - std::countl_zero(static_cast<std::uint64_t>(r.count));
    const int shift = std::min({log, 32, 31 + m.shift});
    m.value = static_cast<std::int32_t>((std::int64_t{m.value} * (std::int64_t{1} << std::max(shift, 0))) / r.count);
    m.shift -= shift;
  }
  for (std::int64_t& s : sums) {
    const auto centre = static_cast<std::int32_t>(s - in.zero_point * r.count);
    s = std::clamp(multiply_by_quantised(centre, m) + out.zero_point, out.range.low, out.range.high);
  }
  return single(from_integers(call, call.declared()->dtype, r.out, sums));
}

// ONNX: dequantise, reduce in float32, quantise.
Outcome reduce_onnx(const Call& call, const Reduction& r, Kind kind, const Affine& in, const Affine& out) {
  const std::vector<std::int64_t> q = whole_numbers(call.in(0));
  std::vector<float> x(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) x[i] = dequantise(q[i], in);
  const std::vector<float> y = fold(call, r, kind, x);
  std::vector<std::int64_t> result;
  for (const float v : y)
    result.push_back(quantise(kind == Kind::mean ? v / static_cast<float>(r.count) : v, out, Requant::onnx));
  return single(from_integers(call, call.declared()->dtype, r.out, result));
}

Outcome reduce_quantised(const Call& call, const Reduction& r, Kind kind) {
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  if (!call.tflite()) return reduce_onnx(call, r, kind, *in, *out);
  if (!is_extreme(kind)) return mean_tflite(call, r, kind, *in, *out);
  if (*call.quantisation_of(0) != *call.quantisation_of_output())
    return call.error("a maximum or minimum must not change the quantisation");
  return single(from_integers(call, call.declared()->dtype, r.out, fold(call, r, kind, whole_numbers(call.in(0)))));
}

// Without axes, and with an attribute that makes this a no-op, each element is reduced alone, which most of these
// operators return unchanged.
bool is_identity(const Call& call) {
  const bool has_axes = call.find(1) != nullptr && call.in(1).type.elements() != 0;
  if (has_axes || call.node.integer("noop_with_empty_axes", 0) == 0 || is_quantised(call)) return false;
  const std::string_view op = call.node.op;
  return op != "ReduceL1" && op != "ReduceL2" && op != "ReduceLogSum" && op != "ReduceSumSquare";
}

Outcome reduce_any(const Call& call, std::optional<Kind> kind) {
  const Result<Reduction> r = read_reduction(call);
  if (!r || !call.allocate(call.in(0).type.dtype, r->out)) return failure;
  if (is_identity(call)) return same_bytes(call, *call.in(0).type.dims);
  if (!is_quantised(call)) return reduce_plain(call, *r);
  if (!kind) return call.unsupported_dtype(0, "a tensor without quantisation");
  if (is_extreme(*kind) && r->count == 0 && r->size != 0)
    return call.error("there is no maximum or minimum of an empty set", describe(call.in(0)));
  return reduce_quantised(call, *r, *kind);
}

}  // namespace

Outcome reduce(const Call& call) { return reduce_any(call, std::nullopt); }
Outcome reduce_sum(const Call& call) { return reduce_any(call, Kind::sum); }
Outcome reduce_mean(const Call& call) { return reduce_any(call, Kind::mean); }
Outcome reduce_max(const Call& call) { return reduce_any(call, Kind::max); }
Outcome reduce_min(const Call& call) { return reduce_any(call, Kind::min); }

}  // namespace byoc::evaluate
