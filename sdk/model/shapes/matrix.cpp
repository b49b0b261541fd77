// Gemm, MatMul, QLinearMatMul.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

// NumPy's matmul: vectors become a row on the left, a column on the right, and leave the result again.
Result<Dims> matmul_dims(const Inference& call, std::size_t a, std::size_t b) {
  if (!call.want_rank(a, 1, kAny) || !call.want_rank(b, 1, kAny)) return failure;
  Dims x = call.dims(a);
  Dims y = call.dims(b);
  const bool row = x.size() == 1;
  const bool column = y.size() == 1;
  if (row) x.insert(x.begin(), 1);
  if (column) y.push_back(1);
  if (differ(x.back(), y[y.size() - 2]))
    return call.error("the matrices do not fit", call.text(a) + " times " + call.text(b));
  Result<Dims> out = call.broadcast(Dims(x.begin(), x.end() - 2), Dims(y.begin(), y.end() - 2));
  if (!out) return failure;
  if (!row) out->push_back(x[x.size() - 2]);
  if (!column) out->push_back(y.back());
  return out;
}

}  // namespace

Result<void> gemm(const Inference& call) {
  if (!call.want_rank(0, 2, 2) || !call.want_rank(1, 2, 2)) return failure;
  const bool quantised = call.in(0).quantisation.has_value();
  if (!quantised && (!call.same_dtype(0, 1) || (call.find(2) != nullptr && !call.same_dtype(0, 2)))) return failure;
  const bool ta = call.node.integer("transA", 0) != 0;
  const bool tb = call.node.integer("transB", 0) != 0;
  if (differ(call.dims(0)[ta ? 0 : 1], call.dims(1)[tb ? 1 : 0]))
    return call.error("the matrices do not fit", call.text(0) + " and " + call.text(1));
  const Dims out{call.dims(0)[ta ? 1 : 0], call.dims(1)[tb ? 0 : 1]};
  if (call.find(2) != nullptr) {
    const Result<Dims> both = call.broadcast(call.dims(2), out);
    if (!both) return failure;
    bool fits = both->size() == 2;
    for (std::size_t d = 0; fits && d < 2; ++d) fits = !differ((*both)[d], out[d]);
    if (!fits) return call.error("input 2 does not broadcast to the result", call.text(2), call.text(out));
  }
  return call.set(0, call.in(0).dtype, out);
}

Result<void> matmul(const Inference& call) {
  if (!call.in(0).quantisation && !call.same_dtype(0, 1)) return failure;
  const Result<Dims> dims = matmul_dims(call, 0, 1);
  if (!dims) return failure;
  return call.set(0, call.in(0).dtype, *dims);
}

Result<void> batch_matmul(const Inference& call) {
  if (!call.same_dtype(0, 1) || !call.want_rank(0, 2, kAny) || !call.want_rank(1, 2, kAny)) return failure;
  const auto matrix = [&](std::size_t i, const char* adjoint) {
    const Dims& d = call.dims(i);
    Dims m(d.end() - 2, d.end());
    if (call.node.integer(adjoint, 0) != 0) std::swap(m[0], m[1]);
    return m;
  };
  const Dims a = matrix(0, "adj_x"), b = matrix(1, "adj_y");
  if (differ(a[1], b[0])) return call.error("the matrices do not fit", call.text(0) + " times " + call.text(1));
  Result<Dims> out = call.broadcast(Dims(call.dims(0).begin(), call.dims(0).end() - 2),
                                    Dims(call.dims(1).begin(), call.dims(1).end() - 2));
  if (!out) return failure;
  out->push_back(a[0]);
  out->push_back(b[1]);
  return call.set(0, call.in(0).dtype, *out);
}

Result<void> qlinear_matmul(const Inference& call) {
  if (!call.same_dtype(0, 2) || !call.same_dtype(3, 5)) return failure;
  const Result<Dims> dims = matmul_dims(call, 0, 3);
  if (!dims) return failure;
  return call.set(0, call.in(7).dtype, *dims);
}

// a, b, and their zero points: one of all, a vector (a's rows, b's columns), or a matrix of them for each matrix.
Result<void> matmul_integer(const Inference& call) {
  if (!call.one_of(0, {DType::i8, DType::u8}) || !call.one_of(1, {DType::i8, DType::u8})) return failure;
  for (const std::size_t i : {std::size_t{2}, std::size_t{3}})
    if (call.find(i) != nullptr && !call.same_dtype(i - 2, i)) return failure;
  const Result<Dims> dims = matmul_dims(call, 0, 1);
  if (!dims) return failure;
  return call.set(0, DType::i32, *dims);
}

}  // namespace byoc::shapes
