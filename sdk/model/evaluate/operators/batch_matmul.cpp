// byoc.BatchMatMul: products of matrices whose batch dims broadcast; adj_x and adj_y read an operand transposed.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/matrix.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

struct Batches {
  std::int64_t rows, depth, columns;
  Dims batch, a_strides, b_strides;
  MatrixView a, b;  // of the first matrices
  Dims out;
};

Result<Batches> read_batches(const Call& call) {
  const Dims& a = *call.in(0).type.dims;
  const Dims& b = *call.in(1).type.dims;
  if (a.size() < 2 || b.size() < 2)
    return call.error("the operands must be matrices", describe(call.in(0)) + " and " + describe(call.in(1)));
  const bool ta = call.node.integer("adj_x", 0) != 0, tb = call.node.integer("adj_y", 0) != 0;
  const std::int64_t a_width = a.back(), b_width = b.back();
  Batches s{};
  s.rows = ta ? a_width : a[a.size() - 2];
  s.depth = ta ? a[a.size() - 2] : a_width;
  s.columns = tb ? b[b.size() - 2] : b_width;
  s.a = {0, ta ? 1 : a_width, ta ? a_width : 1};
  s.b = {0, tb ? 1 : b_width, tb ? b_width : 1};
  const Dims a_batch(a.begin(), a.end() - 2), b_batch(b.begin(), b.end() - 2);
  const std::optional<Dims> both = broadcast(a_batch, b_batch);
  if (!both || (tb ? b_width : b[b.size() - 2]) != s.depth)
    return call.error("the matrices do not fit", describe(call.in(0)) + " and " + describe(call.in(1)));
  s.batch = s.out = *both;
  s.a_strides = broadcast_strides(a_batch, s.batch);
  s.b_strides = broadcast_strides(b_batch, s.batch);
  for (std::int64_t& d : s.a_strides) d *= s.rows * s.depth;
  for (std::int64_t& d : s.b_strides) d *= s.depth * s.columns;
  s.out.push_back(s.rows);
  s.out.push_back(s.columns);
  if (!call.check_count(s.out)) return failure;
  return s;
}

template <class Sum, class T>
std::vector<Sum> batch_products(const Batches& s, std::span<const T> a, std::span<const T> b) {
  std::vector<Sum> out;
  walk<2>(s.batch, {s.a_strides, s.b_strides}, [&](const std::array<std::int64_t, 2>& at) {
    append_product<Sum, T>(s.rows, s.depth, s.columns, a, {at[0], s.a.row, s.a.column}, b, {at[1], s.b.row, s.b.column},
                           out);
  });
  return out;
}

Outcome multiply_quantised(const Call& call, const Batches& s) {
  const Result<Affine> a = affine_input(call, 0), b = affine_input(call, 1), out = affine_output(call);
  if (!a || !b || !out || !call.same_dtype(0, 1)) return failure;
  const Scaling scaling = !call.tflite()                        ? Scaling::onnx
                          : call.in(0).type.dtype == DType::i16 ? Scaling::tflite_wide
                                                                : Scaling::tflite;
  const Requantiser requantise(scaling, a->scale, std::span(&b->scale, 1), *out, out->range);
  const std::vector<std::int32_t> x = centred(call.in(0), a->zero_point), w = centred(call.in(1), b->zero_point);
  std::vector<std::int64_t> y =
      batch_products<std::int64_t>(s, std::span<const std::int32_t>(x), std::span<const std::int32_t>(w));
  for (std::int64_t& v : y) v = requantise(v, 0);
  return single(from_integers(call, call.declared()->dtype, s.out, y));
}

}  // namespace

Outcome batch_matmul(const Call& call) {
  const Result<Batches> s = read_batches(call);
  if (!s) return failure;
  if (is_quantised(call)) return multiply_quantised(call, *s);
  const DType dtype = call.in(0).type.dtype;
  if (!is_float(dtype)) return call.unsupported_dtype(0, "a float, or an integer type with quantisation");
  if (!call.same_dtype(0, 1)) return failure;
  return with_sum_type(dtype, [&]<class Real>() {
    const std::vector<Real> a = reals<Real>(call.in(0)), b = reals<Real>(call.in(1));
    const std::vector<Real> y = batch_products<Real>(*s, std::span<const Real>(a), std::span<const Real>(b));
    return single(call.from_reals(dtype, s->out, y));
  });
}

}  // namespace byoc::evaluate
