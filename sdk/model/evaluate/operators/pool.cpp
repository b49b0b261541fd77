#include "sdk/model/evaluate/operators/pool.hpp"

namespace byoc::evaluate {

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
  pool.out_dims = pool.out.dims();
  if (!call.check_count(pool.out_dims)) return failure;
  return pool;
}

Result<Pool> read_global_pool(const Call& call) {
  const Result<DataLayout> layout = data_layout(call);
  if (!layout) return failure;
  const Dims& dims = *call.in(0).type.dims;
  const std::size_t rank = dims.size();
  if (rank < 2) return call.error("the operator needs a tensor of rank 2 or more", describe(call.in(0)));
  // However many spatial dims there are, they are one row here.
  const bool first = *layout == DataLayout::nchw;
  const std::int64_t channels = first ? dims[1] : dims.back();
  std::int64_t length = 1;
  for (std::size_t d = first ? 2 : 1; d < (first ? rank : rank - 1); ++d) length *= dims[d];
  Pool pool{make_spatial(*layout, 3, dims[0], channels, {1, 1, length}),
            make_spatial(*layout, 3, dims[0], channels, {1, 1, 1}),
            {},
            false};
  pool.axes[2].kernel = length;
  pool.out_dims = Dims(rank, 1);
  pool.out_dims[0] = dims[0];
  pool.out_dims[first ? 1 : rank - 1] = channels;
  return pool;
}

}  // namespace byoc::evaluate
