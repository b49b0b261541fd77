#include "sdk/model/evaluate/operators/convolution.hpp"

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

enum class FilterLayout { oihw, ohwi, ihwo };

Result<FilterLayout> filter_layout(const Call& call) {
  const std::string name = call.node.text("filter_layout", "OIHW");
  if (name == "OIHW") return FilterLayout::oihw;
  if (name == "OHWI") return FilterLayout::ohwi;
  if (name == "IHWO") return FilterLayout::ihwo;
  return call.error("unknown filter_layout", name, "OIHW, OHWI or IHWO");
}

// Positions of the filter's dims.
struct FilterDims {
  std::size_t out, in, spatial;
};

FilterDims filter_dims(FilterLayout layout, std::size_t rank) {
  switch (layout) {
    case FilterLayout::oihw: return {0, 1, 2};
    case FilterLayout::ohwi: return {0, rank - 1, 1};
    case FilterLayout::ihwo: return {rank - 1, 0, 1};
  }
  return {0, 1, 2};
}

Result<void> check_channels(const Call& call, const Convolution& c, std::int64_t out_channels) {
  if (c.groups < 1) return call.error("group is out of range", std::to_string(c.groups), "at least 1");
  if (c.in.channels % c.groups != 0 || c.in.channels / c.groups != c.filter_channels)
    return call.error("the filter does not fit the input's channels",
                      std::to_string(c.filter_channels) + " filter channels in " + std::to_string(c.groups) + " groups",
                      std::to_string(c.in.channels) + " input channels");
  if (out_channels % c.groups != 0)
    return call.error("output channels are not a multiple of group", std::to_string(out_channels),
                      "a multiple of " + std::to_string(c.groups));
  return {};
}

}  // namespace

Result<Convolution> read_convolution(const Call& call, std::size_t x, std::size_t w) {
  const Result<DataLayout> layout = data_layout(call);
  const Result<FilterLayout> filter = filter_layout(call);
  if (!layout || !filter) return failure;
  const Result<Spatial> in = read_spatial(call, call.in(x), *layout);
  if (!in) return failure;
  const Dims& dims = *call.in(w).type.dims;
  if (dims.size() != in->rank)
    return call.error("the filter must have the rank of the input", describe(call.in(w)), describe(call.in(x)));
  const FilterDims at = filter_dims(*filter, dims.size());
  const Dims kernel(dims.begin() + static_cast<std::ptrdiff_t>(at.spatial),
                    dims.begin() + static_cast<std::ptrdiff_t>(at.spatial + dims.size() - 2));
  if (call.node.integers("kernel_shape", kernel) != kernel)
    return call.error("kernel_shape is not the filter's", describe(call.node.integers("kernel_shape", {})),
                      describe(kernel));
  const Result<Windows> windows = read_windows(call, *in, kernel);
  if (!windows) return failure;

  Convolution c;
  c.in = *in;
  c.axes = windows->axes;
  c.groups = call.node.integer("group", 1);
  c.filter_channels = dims[at.in];
  if (!check_channels(call, c, dims[at.out])) return failure;
  c.out = make_spatial(*layout, in->rank, in->batch, dims[at.out], windows->out);
  c.filter_out_axis = at.out;
  const Dims strides = row_major_strides(dims);
  c.filter_out_stride = strides[at.out];
  c.filter_in_stride = strides[at.in];
  for (std::size_t i = 0; i + 2 < dims.size(); ++i) c.filter_stride[5 - dims.size() + i] = strides[at.spatial + i];
  if (!call.check_count(c.out.dims())) return failure;
  return c;
}

std::vector<std::int32_t> centred_filter(const Convolution& c, const Tensor& filter,
                                         std::span<const std::int64_t> zero_points) {
  std::vector<std::int32_t> out = centred(filter, 0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto channel = static_cast<std::size_t>(c.channel_of(static_cast<std::int64_t>(i)));
    out[i] -= static_cast<std::int32_t>(zero_points[zero_points.size() == 1 ? 0 : channel]);
  }
  return out;
}

}  // namespace byoc::evaluate
