// byoc.SVDF.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
Result<void> svdf(const Inference& call) {
  if (!call.one_of(0, {DType::f32, DType::i8})) return failure;
  for (std::size_t i = 0; i < 4; ++i)
    if (!call.want_rank(i, 2, 2)) return failure;
  const Dims &x = call.dims(0), &feature = call.dims(1), &time = call.dims(2), &state = call.dims(3);
  const std::int64_t rank = call.node.integer("rank", 1);
  if (rank < 1) return call.error("the rank is out of range", std::to_string(rank), "1 or more");
  ir::Dim units = kUnknown;
  if (is_known(feature[0])) {
    if (feature[0] % rank != 0)
      return call.error("the filters are no multiple of the rank", call.text(1),
                        "a multiple of " + std::to_string(rank));
    units = feature[0] / rank;
  }
  if (differ(feature[1], x[1]) || differ(time[0], feature[0]) || time[1] == 0)
    return call.error("the weights do not fit", call.text(1) + " and " + call.text(2));
  if (differ(state[0], x[0]) ||
      (is_known(state[1]) && is_known(time[0]) && is_known(time[1]) && state[1] != time[0] * time[1]))
    return call.error("the state does not fit", call.text(3));
  if (call.find(4) != nullptr && (!call.want_rank(4, 1, 1) || differ(call.dims(4)[0], units)))
    return call.error("the bias must have one element for each unit", call.text(4));
  if (!call.set(0, call.in(0).dtype, {x[0], units})) return failure;
  return call.set(1, call.in(3).dtype, state);
}

}  // namespace byoc::shapes
