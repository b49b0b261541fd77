// ReduceMean, ReduceSum, ReduceMax.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {

Result<void> reduce(const Inference& call) {
  const DType dtype = call.requantised_dtype();
  std::vector<std::int64_t> axes;
  if (call.find(1) != nullptr) {
    if (!call.one_of(1, {DType::i64, DType::i32})) return failure;
    const auto given = call.constant(1);
    if (!given) return call.set_dtype(0, dtype);
    axes = *given;
  }
  const Dims& dims = call.dims(0);
  std::vector<bool> reduced(dims.size(), axes.empty() && call.node.integer("noop_with_empty_axes", 0) == 0);
  for (const std::int64_t a : axes) {
    const Result<std::size_t> d = call.axis(a, dims.size());
    if (!d) return failure;
    if (reduced[*d]) return call.error("an axis is named twice", std::to_string(a));
    reduced[*d] = true;
  }
  const bool keep = call.node.integer("keepdims", 1) != 0;
  Dims out;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!reduced[i])
      out.push_back(dims[i]);
    else if (keep)
      out.push_back(1);
  }
  return call.set(0, dtype, std::move(out));
}

}  // namespace byoc::shapes
