// byoc.FullyConnected.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {

Result<void> fully_connected(const Inference& call) {
  if (!call.want_rank(1, 2, 2) || !call.want_rank(0, 1, kAny)) return failure;
  const Dims& x = call.dims(0);
  const ir::Dim units = call.dims(1)[0];
  const ir::Dim depth = call.dims(1)[1];
  if (!is_known(depth)) return call.error("the depth of the weights is not known", call.text(1));
  if (depth < 1) return call.error("the depth of the weights is out of range", call.text(1), "at least 1");
  if (call.find(2) != nullptr) {
    if (!call.want_rank(2, 1, 1)) return failure;
    if (is_known(units) && is_known(call.dims(2)[0]) && call.dims(2)[0] != units)
      return call.error("the bias must have one element for each unit", call.text(2), std::to_string(units));
  }
  if (call.node.integer("keep_num_dims", 0) != 0) {
    if (is_known(x.back()) && x.back() != depth)
      return call.error("keep_num_dims needs an input whose last dim is the depth", call.text(0),
                        std::to_string(depth));
    Dims out = x;
    out.back() = units;
    return call.set(0, call.requantised_dtype(), std::move(out));
  }
  ir::Dim rows = kUnknown;
  if (all_known(x)) {
    std::int64_t count = 1;
    for (const ir::Dim d : x)
      if (__builtin_mul_overflow(count, d, &count)) return call.error("input 0 is too large", call.text(0));
    if (count % depth != 0)
      return call.error("the input does not divide into rows of the weights' depth", call.text(0),
                        "a multiple of " + std::to_string(depth) + " elements");
    rows = count / depth;
  } else if (x.size() == 2 && x[1] == depth) {
    rows = x[0];
  }
  return call.set(0, call.requantised_dtype(), {rows, units});
}

}  // namespace byoc::shapes
