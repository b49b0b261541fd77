#include "sdk/model/evaluate/operators/matrix.hpp"

namespace byoc::evaluate {

Result<MatMulShape> read_matmul(const Call& call, std::size_t a, std::size_t b) {
  Dims x = *call.in(a).type.dims;
  Dims y = *call.in(b).type.dims;
  if (x.empty() || y.empty()) return call.error("a matrix product needs operands of rank 1 or more", "a scalar");
  const bool row_vector = x.size() == 1;
  const bool column_vector = y.size() == 1;
  if (row_vector) x.insert(x.begin(), 1);
  if (column_vector) y.push_back(1);
  MatMulShape s{x[x.size() - 2], x.back(), y.back(), {}, {}, {}, {}};
  if (y[y.size() - 2] != s.depth)
    return call.error("the matrices do not fit", describe(call.in(a)) + " times " + describe(call.in(b)));
  const Dims x_batch(x.begin(), x.end() - 2);
  const Dims y_batch(y.begin(), y.end() - 2);
  const std::optional<Dims> batch = broadcast(x_batch, y_batch);
  if (!batch)
    return call.error("the batches of the matrices do not broadcast",
                      describe(call.in(a)) + " times " + describe(call.in(b)));
  s.batch = *batch;
  s.a_strides = broadcast_strides(x_batch, *batch);
  s.b_strides = broadcast_strides(y_batch, *batch);
  for (std::int64_t& stride : s.a_strides) stride *= s.rows * s.depth;
  for (std::int64_t& stride : s.b_strides) stride *= s.depth * s.columns;
  s.out = *batch;
  if (!row_vector) s.out.push_back(s.rows);
  if (!column_vector) s.out.push_back(s.columns);
  if (!call.check_count(s.out)) return failure;
  return s;
}

}  // namespace byoc::evaluate
