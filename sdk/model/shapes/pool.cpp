// AveragePool, MaxPool and their global forms.
#include "sdk/model/shapes/rules.hpp"
#include "sdk/model/shapes/spatial.hpp"

namespace byoc::shapes {

Result<void> pool(const Inference& call) {
  const Result<SpatialDims> in = read_spatial(call, 0);
  if (!in) return failure;
  const auto* kernel = call.node.find<std::vector<std::int64_t>>("kernel_shape");
  if (kernel == nullptr) return call.error("attribute kernel_shape is missing");
  const Result<Dims> sizes = slide(call, in->sizes, *kernel);
  if (!sizes) return failure;
  const Dims out = in->make(in->channels, *sizes);
  if (!call.set(1, DType::i64, out)) return failure;  // MaxPool's indices
  return call.set(0, call.in(0).dtype, out);
}

Result<void> global_pool(const Inference& call) {
  if (!call.want_rank(0, 2, kAny)) return failure;
  const std::string layout = call.node.text("data_layout", "NCHW");
  if (layout != "NCHW" && layout != "NHWC") return call.error("unknown data_layout", layout, "NCHW or NHWC");
  Dims out(call.rank(0), 1);
  out[0] = call.dims(0)[0];
  const std::size_t channels = layout == "NCHW" ? 1 : call.rank(0) - 1;
  out[channels] = call.dims(0)[channels];
  return call.set(0, call.in(0).dtype, out);
}

}  // namespace byoc::shapes
