// AveragePool, MaxPool and their global forms.
#include "sdk/prepare/shapes/rules.hpp"
#include "sdk/prepare/shapes/spatial.hpp"

namespace byoc::shapes {

Result<void> pool(const Inference& call) {
  const Result<SpatialDims> in = read_spatial(call, 0);
  if (!in) return failure;
  const auto* kernel = call.node.find<std::vector<std::int64_t>>("kernel_shape");
  if (kernel == nullptr) return call.error("attribute kernel_shape is missing");
  const Result<Dims> sizes = slide(call, in->sizes, *kernel);
  if (!sizes) return failure;
  return call.set(0, call.in(0).dtype, in->make(in->channels, *sizes));
}

Result<void> global_pool(const Inference& call) {
  const Result<SpatialDims> in = read_spatial(call, 0);
  if (!in) return failure;
  return call.set(0, call.in(0).dtype, in->make(in->channels, Dims(in->sizes.size(), 1)));
}

}  // namespace byoc::shapes
