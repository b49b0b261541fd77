#include "sdk/evaluate/operators/pool.hpp"

namespace byoc::evaluate {
namespace {

Result<void> check_size(const Call& call, const Pool& pool) {
  const std::optional<std::int64_t> count = product(pool.out.dims());
  if (count && *count <= static_cast<std::int64_t>(kLargestResult)) return {};
  return call.error("the result is too large", describe(pool.out.dims()), "at most 2^31 elements");
}

}  // namespace

Result<Pool> read_pool(const Call& call) {
  const Result<DataLayout> layout = data_layout(call);
  if (!layout) return failure;
  const Result<Spatial> in = read_spatial(call, call.in(0), *layout);
  if (!in) return failure;
  const auto* kernel = call.node.find<std::vector<std::int64_t>>("kernel_shape");
  if (kernel == nullptr) return call.error("attribute kernel_shape is missing");
  const Result<Windows> windows = read_windows(call, *in, *kernel);
  if (!windows) return failure;
  Pool pool{*in, make_spatial(*layout, in->rank, in->batch, in->channels, windows->out), windows->axes,
            call.node.integer("count_include_pad", 0) != 0};
  if (!check_size(call, pool)) return failure;
  return pool;
}

Result<Pool> read_global_pool(const Call& call) {
  const Result<DataLayout> layout = data_layout(call);
  if (!layout) return failure;
  const Result<Spatial> in = read_spatial(call, call.in(0), *layout);
  if (!in) return failure;
  Pool pool{*in, make_spatial(*layout, in->rank, in->batch, in->channels, {1, 1, 1}), {}, false};
  for (std::size_t d = 0; d < 3; ++d) pool.axes[d].kernel = in->size[d];
  return pool;
}

}  // namespace byoc::evaluate
