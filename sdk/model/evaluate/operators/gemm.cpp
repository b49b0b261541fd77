// Gemm: alpha * A' * B' + beta * C, with C broadcast to the result.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/matrix.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

struct GemmShape {
  std::int64_t rows, depth, columns;
  MatrixView a, b;
  bool transposes_b;
  Dims out;
};

Result<GemmShape> read_gemm_shape(const Call& call) {
  const Dims& a = *call.in(0).type.dims;
  const Dims& b = *call.in(1).type.dims;
  if (a.size() != 2 || b.size() != 2)
    return call.error("Gemm needs matrices", describe(call.in(0)) + " and " + describe(call.in(1)), "rank 2");
  const bool ta = call.node.integer("transA", 0) != 0;
  const bool tb = call.node.integer("transB", 0) != 0;
  GemmShape s{a[ta ? 1 : 0],
              a[ta ? 0 : 1],
              b[tb ? 0 : 1],
              ta ? MatrixView{0, 1, a[1]} : MatrixView{0, a[1], 1},
              tb ? MatrixView{0, 1, b[1]} : MatrixView{0, b[1], 1},
              tb,
              {}};
  if (b[tb ? 1 : 0] != s.depth)
    return call.error("the matrices do not fit", describe(call.in(0)) + " and " + describe(call.in(1)));
  s.out = {s.rows, s.columns};
  if (call.find(2) != nullptr && broadcast(*call.in(2).type.dims, s.out) != s.out)
    return call.error("input 2 does not broadcast to the result", describe(call.in(2)), describe(s.out));
  if (!call.check_count(s.out)) return failure;
  return s;
}

template <class Sum, class T>
std::vector<Sum> products(const GemmShape& s, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<Sum> y;
  append_product<Sum, T>(s.rows, s.depth, s.columns, std::span<const T>(a), s.a, std::span<const T>(b), s.b, y);
  return y;
}

// Calls f(output index, index into C) for every element.
template <class F>
void for_each_addend(const Call& call, const GemmShape& s, F&& f) {
  std::size_t next = 0;
  walk<1>(s.out, {broadcast_strides(*call.in(2).type.dims, s.out)},
          [&](const std::array<std::int64_t, 1>& at) { f(next++, static_cast<std::size_t>(at[0])); });
}

template <class Real>
Outcome gemm_float(const Call& call, const GemmShape& s) {
  if (!call.same_dtype(0, 1) || (call.find(2) != nullptr && !call.same_dtype(0, 2))) return failure;
  const Result<Bounds> bounds = activation_bounds(call);
  if (!bounds) return failure;
  std::vector<Real> y = products<Real>(s, reals<Real>(call.in(0)), reals<Real>(call.in(1)));
  const auto alpha = static_cast<Real>(call.node.real("alpha", 1));
  const auto beta = static_cast<Real>(call.node.real("beta", 1));
  for (Real& v : y) v *= alpha;
  if (call.find(2) != nullptr) {
    const std::vector<Real> c = reals<Real>(call.in(2));
    for_each_addend(call, s, [&](std::size_t i, std::size_t at) { y[i] += beta * c[at]; });
  }
  for (Real& v : y) v = std::clamp(v, static_cast<Real>(bounds->low), static_cast<Real>(bounds->high));
  return single(call.from_reals(call.in(0).type.dtype, s.out, y));
}

Outcome gemm_quantised(const Call& call, const GemmShape& s) {
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  if (call.node.real("alpha", 1) != 1 || call.node.real("beta", 1) != 1)
    return call.error("a quantised Gemm must have alpha and beta 1");
  const Result<FilterScales> weights = filter_scales(call, 1, s.transposes_b ? 0 : 1, s.columns);
  const Result<std::vector<std::int64_t>> bias = quantised_bias(call, 2);
  if (!weights || !bias) return failure;
  const Result<IntegerRange> clamp = activation_range(call, *out);
  if (!clamp) return failure;
  const Requantiser requantise(call.tflite() ? Scaling::tflite : Scaling::onnx, in->scale, weights->scales, *out,
                               *clamp);
  std::vector<std::int32_t> b = centred(call.in(1), 0);
  for (std::size_t i = 0; i < b.size(); ++i) {
    const std::size_t column =
        s.transposes_b ? i / static_cast<std::size_t>(s.depth) : i % static_cast<std::size_t>(s.columns);
    b[i] -= static_cast<std::int32_t>(weights->zero_points[weights->zero_points.size() == 1 ? 0 : column]);
  }
  std::vector<std::int64_t> y = products<std::int64_t>(s, centred(call.in(0), in->zero_point), b);
  if (call.find(2) != nullptr) for_each_addend(call, s, [&](std::size_t i, std::size_t at) { y[i] += (*bias)[at]; });
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = requantise(y[i], i % static_cast<std::size_t>(s.columns));
  return single(from_integers(call, call.declared()->dtype, s.out, y));
}

// Plain integers wrap around: computed unsigned, where that is defined. A fraction has no meaning among them.
Outcome gemm_integer(const Call& call, const GemmShape& s) {
  if (!call.same_dtype(0, 1) || (call.find(2) != nullptr && !call.same_dtype(0, 2))) return failure;
  const float alpha = call.node.real("alpha", 1), beta = call.node.real("beta", 1);
  for (const float f : {alpha, beta})
    if (f != std::floor(f) || std::fabs(f) > 1e9F)
      return call.error("alpha and beta of integers must be whole numbers", std::to_string(f));
  Result<Buffer> out = call.allocate(call.in(0).type.dtype, s.out);
  if (!out) return failure;
  (void)dispatch(call.in(0).type.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
      const auto a = elements<T>(call.in(0)), b = elements<T>(call.in(1));
      std::vector<std::uint64_t> y =
          products<std::uint64_t>(s, std::vector<T>(a.begin(), a.end()), std::vector<T>(b.begin(), b.end()));
      for (std::uint64_t& v : y) v *= static_cast<std::uint64_t>(static_cast<std::int64_t>(alpha));
      if (call.find(2) != nullptr)
        for_each_addend(call, s, [&](std::size_t i, std::size_t at) {
          y[i] += static_cast<std::uint64_t>(static_cast<std::int64_t>(beta)) *
                  static_cast<std::uint64_t>(elements<T>(call.in(2))[at]);
        });
      for (std::size_t i = 0; i < y.size(); ++i) out->as<T>()[i] = static_cast<T>(y[i]);
    }
  });
  return single(std::move(*out));
}

}  // namespace

Outcome gemm(const Call& call) {
  const Result<GemmShape> s = read_gemm_shape(call);
  if (!s) return failure;
  if (is_float(call.in(0).type.dtype))
    return with_sum_type(call.in(0).type.dtype, [&]<class Real>() { return gemm_float<Real>(call, *s); });
  if (is_quantised(call)) return gemm_quantised(call, *s);
  const DType dtype = call.in(0).type.dtype;
  if (dtype == DType::i32 || dtype == DType::i64 || dtype == DType::u32 || dtype == DType::u64)
    return gemm_integer(call, *s);
  return call.unsupported_dtype(0, "a float, a 32- or 64-bit integer, or an integer type with quantisation");
}

}  // namespace byoc::evaluate
