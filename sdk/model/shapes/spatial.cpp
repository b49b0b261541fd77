#include "sdk/model/shapes/spatial.hpp"

#include <algorithm>

namespace byoc::shapes {
namespace {

using evaluate::WindowAxis;

// TFLite's and ONNX's SAME: as many outputs as strides fit into the input. The odd element of padding goes after
// (SAME_UPPER) or before (SAME_LOWER).
void pad_same(WindowAxis& axis, std::int64_t size, bool upper) {
  const std::int64_t out = (size + axis.stride - 1) / axis.stride;
  const std::int64_t total =
      std::max<std::int64_t>((out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - size, 0);
  axis.pad_begin = upper ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

// False while auto_pad depends on an open size.
Result<bool> resolve_auto_pad(const Inference& call, const Dims& sizes, std::vector<WindowAxis>& axes) {
  const std::string mode = call.node.text("auto_pad", "NOTSET");
  if (mode == "NOTSET") return true;
  if (mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER")
    return call.error("unknown auto_pad", mode, "NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  for (const WindowAxis& axis : axes)
    if (axis.pad_begin != 0 || axis.pad_end != 0)
      return call.error("has both auto_pad and pads", mode + " and pads", "one of them");
  if (mode == "VALID") return true;
  if (!all_known(sizes)) return false;
  for (std::size_t i = 0; i < axes.size(); ++i) pad_same(axes[i], sizes[i], mode == "SAME_UPPER");
  return true;
}

}  // namespace

void write_window(ir::Node& node, const std::vector<WindowAxis>& axes) {
  std::vector<std::int64_t> kernel, strides, dilations, pads, ends;
  for (const WindowAxis& a : axes) {
    kernel.push_back(a.kernel);
    strides.push_back(a.stride);
    dilations.push_back(a.dilation);
    pads.push_back(a.pad_begin);
    ends.push_back(a.pad_end);
  }
  pads.insert(pads.end(), ends.begin(), ends.end());
  node.attributes.insert_or_assign("kernel_shape", kernel);
  node.attributes.insert_or_assign("strides", strides);
  node.attributes.insert_or_assign("dilations", dilations);
  node.attributes.insert_or_assign("pads", pads);
  node.attributes.erase("auto_pad");
}

Dims SpatialDims::make(ir::Dim out_channels, const Dims& out_sizes) const {
  Dims out{batch};
  if (!channels_last) out.push_back(out_channels);
  out.insert(out.end(), out_sizes.begin(), out_sizes.end());
  if (channels_last) out.push_back(out_channels);
  return out;
}

Result<SpatialDims> read_spatial(const Inference& call, std::size_t input) {
  if (!call.want_rank(input, 3, kAny)) return failure;
  const std::string layout = call.node.text("data_layout", "NCHW");
  if (layout != "NCHW" && layout != "NHWC") return call.error("unknown data_layout", layout, "NCHW or NHWC");
  const Dims& dims = call.dims(input);
  SpatialDims s;
  s.channels_last = layout == "NHWC";
  s.batch = dims[0];
  s.channels = s.channels_last ? dims.back() : dims[1];
  s.sizes.assign(dims.begin() + (s.channels_last ? 1 : 2), dims.end() - (s.channels_last ? 1 : 0));
  return s;
}

Result<Dims> slide(const Inference& call, const Dims& sizes, const Dims& kernel) {
  if (kernel.size() != sizes.size())
    return call.error("the kernel does not have as many dims as the input has spatial ones",
                      std::to_string(kernel.size()), std::to_string(sizes.size()));
  Result<std::vector<WindowAxis>> axes = evaluate::read_window(call.graph, call.node, kernel, call.diags);
  if (!axes) return failure;
  const Result<bool> resolved = resolve_auto_pad(call, sizes, *axes);
  if (!resolved) return failure;
  if (!*resolved) return Dims(sizes.size(), kUnknown);
  write_window(call.node, *axes);
  const bool ceil = call.node.integer("ceil_mode", 0) != 0;
  Dims out;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const WindowAxis& a = (*axes)[i];
    const std::int64_t extent = (a.kernel - 1) * a.dilation + 1;
    if (!is_known(sizes[i])) {
      out.push_back(a.stride == 1 && extent == a.pad_begin + a.pad_end + 1 ? sizes[i] : kUnknown);
      continue;
    }
    const std::optional<std::int64_t> length = evaluate::window_output(sizes[i], a, ceil);
    if (!length)
      return call.error("the window does not fit into the padded input",
                        "window of " + std::to_string(extent) + " on " + std::to_string(sizes[i]) + " with pads " +
                            std::to_string(a.pad_begin) + " and " + std::to_string(a.pad_end));
    out.push_back(*length);
  }
  return out;
}

}  // namespace byoc::shapes
