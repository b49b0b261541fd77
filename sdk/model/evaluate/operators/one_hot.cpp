// OneHot: `values` is [off, on]. Indices outside [-depth, depth) give a run of off.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome one_hot(const Call& call) {
  const Tensor& indices = call.in(0);
  const Tensor& values = call.in(2);
  const Dims& from = *indices.type.dims;
  const Result<double> depth_of = call.scalar(1);
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", -1), from.size() + 1);
  const Result<Mover> mover = Mover::make(call, 2);
  if (!depth_of || !axis || !mover) return failure;
  if (values.type.elements() != 2) return call.error("values must be [off, on]", describe(values));
  const auto depth = narrow<std::int64_t>(*depth_of);
  if (depth < 0) return call.error("depth is negative", std::to_string(depth));
  Dims dims = from;
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*axis), depth);
  Result<Buffer> y = call.allocate(values.type.dtype, dims);
  if (!y) return failure;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < from.size(); ++d) (d < *axis ? outer : inner) *= from[d];
  for (std::int64_t i = 0; i < y->type.elements(); ++i) mover->copy(values, 0, *y, i);
  const bool known = dispatch(indices.type.dtype, [&]<class T>() {
    const std::span<const T> list = elements<T>(indices);
    for (std::int64_t i = 0; i < outer * inner; ++i) {
      auto index = narrow<std::int64_t>(widen(list[static_cast<std::size_t>(i)]));
      if (index < -depth || index >= depth) continue;
      if (index < 0) index += depth;
      mover->copy(values, 1, *y, (i / inner * depth + index) * inner + i % inner);
    }
  });
  if (!known) return call.unsupported_dtype(0, "a number");
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
