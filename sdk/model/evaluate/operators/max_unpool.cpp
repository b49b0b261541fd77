// MaxUnpool: each element to where a MaxPool found it, all else zero. The indices count in the shape that the
// attributes give; a larger output_shape holds that at its beginning.
#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {
namespace {

// The shape that the MaxPool read.
Result<Dims> pooled_from(const Call& call) {
  const Dims& from = *call.in(0).type.dims;
  const auto kernel = call.node.integers("kernel_shape", {});
  const std::size_t spatial = kernel.size();
  const auto strides = call.node.integers("strides", Dims(spatial, 1));
  const auto pads = call.node.integers("pads", Dims(2 * spatial, 0));
  if (spatial == 0 || from.size() != spatial + 2 || strides.size() != spatial || pads.size() != 2 * spatial)
    return call.error("kernel_shape, strides and pads do not fit the input", describe(call.in(0)));
  Dims out = from;
  for (std::size_t d = 0; d < spatial; ++d) {
    std::int64_t& n = out[d + 2];
    if (__builtin_sub_overflow(n, std::int64_t{1}, &n) || __builtin_mul_overflow(n, strides[d], &n) ||
        __builtin_add_overflow(n, kernel[d], &n) || __builtin_sub_overflow(n, pads[d], &n) ||
        __builtin_sub_overflow(n, pads[d + spatial], &n) || n < 0)
      return call.error("kernel_shape, strides and pads give no shape", describe(call.in(0)));
  }
  return out;
}

}  // namespace

Outcome max_unpool(const Call& call) {
  const Tensor& x = call.in(0);
  const Result<Mover> mover = Mover::make(call, 0);
  const auto indices = call.integers(1);
  const Result<Dims> inner = pooled_from(call);
  if (!mover || !indices || !inner || !check_moved_quantisation(call, 0)) return failure;
  if (*x.type.dims != *call.in(1).type.dims)
    return call.error("values and indices differ in shape", describe(call.in(1)), describe(x));
  Dims dims = *inner;
  if (call.find(2) != nullptr) {
    const auto given = call.integers(2);
    if (!given) return failure;
    bool fits = given->size() == dims.size();
    for (std::size_t d = 0; fits && d < dims.size(); ++d)
      fits = d < 2 ? (*given)[d] == dims[d] : (*given)[d] >= dims[d];
    if (!fits)
      return call.error("output_shape has other channels or is smaller than what was pooled", describe(*given),
                        describe(dims));
    dims = *given;
  }
  const std::optional<std::int64_t> count = product(*inner);
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!y || !count) return failure;
  const Dims read = row_major_strides(*inner), write = row_major_strides(dims);
  for (std::size_t i = 0; i < indices->size(); ++i) {
    const std::int64_t index = (*indices)[i];
    if (index < 0 || index >= *count)
      return call.error("index out of range", std::to_string(index), "0 to " + std::to_string(*count - 1));
    std::int64_t at = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) at += index / read[d] % (*inner)[d] * write[d];
    mover->copy(x, static_cast<std::int64_t>(i), *y, at);
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
