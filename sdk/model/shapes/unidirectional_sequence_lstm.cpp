// byoc.UnidirectionalSequenceLstm.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
Result<void> unidirectional_sequence_lstm(const Inference& call) {
  if (!call.one_of(0, {DType::f32, DType::i8, DType::i16}) || !call.want_rank(0, 3, 3)) return failure;
  for (std::size_t i = 1; i < 13; ++i)
    if (!call.want_rank(i, i < 9 ? 2 : 1, i < 9 ? 2 : 1)) return failure;
  const Dims& x = call.dims(0);
  const ir::Dim batch = x[call.node.integer("time_major", 0) != 0 ? 1 : 0], units = call.dims(5)[0];
  for (std::size_t k = 0; k < 4; ++k) {
    const Dims &w = call.dims(1 + k), &r = call.dims(5 + k), &bias = call.dims(9 + k);
    if (differ(w[0], units) || differ(w[1], x[2]) || differ(r[0], units) || differ(r[1], units) ||
        differ(bias[0], units))
      return call.error("the weights and biases of gate " + std::to_string(k) + " do not fit",
                        call.text(1 + k) + ", " + call.text(5 + k) + " and " + call.text(9 + k));
  }
  for (const std::size_t i : {std::size_t{13}, std::size_t{14}}) {
    std::int64_t elements = 1, expected = 0;
    if (!all_known(call.dims(i)) || !is_known(batch) || !is_known(units)) continue;
    for (const ir::Dim d : call.dims(i))
      if (__builtin_mul_overflow(elements, d, &elements)) return call.error("the states do not fit", call.text(i));
    if (__builtin_mul_overflow(batch, units, &expected) || elements != expected)
      return call.error("the states do not fit", call.text(i));
  }
  Dims y = x;
  y[2] = units;
  if (!call.set(0, call.in(0).dtype, std::move(y)) || !call.set(1, call.in(13).dtype, call.dims(13))) return failure;
  return call.set(2, call.in(14).dtype, call.dims(14));
}

}  // namespace byoc::shapes
