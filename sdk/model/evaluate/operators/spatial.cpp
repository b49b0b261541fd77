#include "sdk/model/evaluate/operators/spatial.hpp"

namespace byoc::evaluate {

Dims Spatial::dims() const {
  Dims out{batch};
  if (layout == DataLayout::nchw) out.push_back(channels);
  for (std::size_t i = 5 - rank; i < 3; ++i) out.push_back(size[i]);
  if (layout == DataLayout::nhwc) out.push_back(channels);
  return out;
}

Result<DataLayout> data_layout(const Call& call) {
  const std::string name = call.node.text("data_layout", "NCHW");
  if (name == "NCHW") return DataLayout::nchw;
  if (name == "NHWC") return DataLayout::nhwc;
  return call.error("unknown data_layout", name, "NCHW or NHWC");
}

Spatial make_spatial(DataLayout layout, std::size_t rank, std::int64_t batch, std::int64_t channels,
                     std::array<std::int64_t, 3> size) {
  Spatial s{layout, rank, batch, channels, size};
  const bool first = layout == DataLayout::nchw;
  s.stride[2] = first ? 1 : channels;
  s.stride[1] = s.stride[2] * size[2];
  s.stride[0] = s.stride[1] * size[1];
  s.channel_stride = first ? size[0] * size[1] * size[2] : 1;
  s.batch_stride = channels * size[0] * size[1] * size[2];
  return s;
}

Result<Spatial> read_spatial(const Call& call, const Tensor& tensor, DataLayout layout) {
  const Dims& dims = *tensor.type.dims;
  const std::size_t rank = dims.size();
  if (rank < 3 || rank > 5) return call.error("the operator needs a tensor of rank 3 to 5", describe(tensor));
  std::array<std::int64_t, 3> size{1, 1, 1};
  const std::size_t first = layout == DataLayout::nchw ? 2 : 1;
  for (std::size_t i = 0; i + 2 < rank; ++i) size[5 - rank + i] = dims[first + i];
  return make_spatial(layout, rank, dims[0], layout == DataLayout::nchw ? dims[1] : dims.back(), size);
}

Result<Windows> read_windows(const Call& call, const Spatial& in, const std::vector<std::int64_t>& kernel) {
  if (const std::string pad = call.node.text("auto_pad", "NOTSET"); pad != "NOTSET")
    return call.error("auto_pad has not been resolved into pads", pad, "NOTSET");
  if (kernel.size() + 2 != in.rank)
    return call.error("the kernel does not have as many dims as the input has spatial ones",
                      std::to_string(kernel.size()), std::to_string(in.rank - 2));
  const Result<std::vector<WindowAxis>> axes = call.window(kernel);
  if (!axes) return failure;
  const bool ceil = call.node.integer("ceil_mode", 0) != 0;
  Windows windows{{}, {1, 1, 1}};
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::size_t d = 5 - in.rank + i;
    windows.axes[d] = (*axes)[i];
    const std::optional<std::int64_t> out = window_output(in.size[d], (*axes)[i], ceil);
    if (!out)
      return call.error("the window does not fit into the padded input",
                        "window " + std::to_string((*axes)[i].kernel) + " with dilation " +
                            std::to_string((*axes)[i].dilation) + ", input " + std::to_string(in.size[d]) +
                            " with pads " + std::to_string((*axes)[i].pad_begin) + " and " +
                            std::to_string((*axes)[i].pad_end));
    windows.out[d] = *out;
  }
  return windows;
}

}  // namespace byoc::evaluate
