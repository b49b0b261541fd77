#include "sdk/model/evaluate/operators/softmax_rows.hpp"

namespace byoc::evaluate {

Result<Rows> read_rows(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  // Before opset 13 the operator works on the tensor flattened to 2-D at `axis`.
  const bool flattens = call.node.domain.empty() && call.node.version < 13;
  if (dims.empty()) return Rows{1, 1, 1};
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", flattens ? 1 : -1), dims.size());
  if (!axis) return failure;
  Rows rows{1, 1, 1};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i < *axis)
      rows.outer *= dims[i];
    else if (i == *axis || flattens)
      rows.length *= dims[i];
    else
      rows.stride *= dims[i];
  }
  return rows;
}

}  // namespace byoc::evaluate
