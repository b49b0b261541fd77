// Resize: lengths from scales or sizes.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sdk/model/shapes/constants.hpp"
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

constexpr double kMost = 2147483647;

struct Asked {
  std::vector<std::size_t> axes;
  std::vector<double> scales, sizes;  // one of them, in the order of the axes
};

// Rounds half up, as ONNX has it for sizes that keep the aspect ratio.
ir::Dim rounded(double length) { return static_cast<ir::Dim>(std::min(kMost, std::floor(length + 0.5))); }

Result<void> set_scaled(const Inference& call, const Asked& asked, Dims& dims) {
  for (std::size_t i = 0; i < asked.axes.size(); ++i) {
    ir::Dim& n = dims[asked.axes[i]];
    const double scale = asked.scales[i];
    // The product in float32, as ONNX's shape inference and ONNX Runtime form it.
    const float length = is_known(n) ? std::floor(static_cast<float>(scale) * static_cast<float>(n)) : 0;
    if (!(scale > 0) || !(length >= 0 && length < static_cast<float>(kMost)))
      return call.error("scale out of range", std::to_string(scale));
    n = is_known(n) ? static_cast<ir::Dim>(length) : scale == 1 ? n : kUnknown;
  }
  return {};
}

Result<void> set_sized(const Inference& call, const Asked& asked, const std::string& policy, Dims& dims) {
  double common = policy == "not_larger" ? INFINITY : 0;
  bool open = false;
  for (std::size_t i = 0; i < asked.axes.size(); ++i) {
    const double size = asked.sizes[i];
    if (!(size >= 0 && size <= kMost)) return call.error("size out of range", std::to_string(size));
    ir::Dim& n = dims[asked.axes[i]];
    if (n == 0 && size != 0) return call.error("cannot sample an empty dim", call.text(0));
    open = open || !is_known(n);
    const double scale = size / static_cast<double>(std::max<ir::Dim>(n, 1));
    common = policy == "not_larger" ? std::min(common, scale) : std::max(common, scale);
    if (policy == "stretch") n = static_cast<ir::Dim>(size);
  }
  if (policy == "stretch") return {};
  for (const std::size_t d : asked.axes) dims[d] = open ? kUnknown : rounded(common * static_cast<double>(dims[d]));
  return {};
}

}  // namespace

Result<void> resize(const Inference& call) {
  Dims dims = call.dims(0), axes(dims.size());
  std::iota(axes.begin(), axes.end(), 0);
  Asked asked;
  for (const std::int64_t a : call.node.integers("axes", axes)) {
    const Result<std::size_t> d = call.axis(a, dims.size());
    if (!d) return failure;
    if (std::find(asked.axes.begin(), asked.axes.end(), *d) != asked.axes.end())
      return call.error("an axis is named twice", std::to_string(a));
    asked.axes.push_back(*d);
  }
  for (const std::size_t i : {std::size_t{2}, std::size_t{3}}) {
    if (call.find(i) == nullptr) continue;
    const auto given = constant_numbers(call, i);
    if (!given) return call.set_dtype(0, call.in(0).dtype);
    (i == 2 ? asked.scales : asked.sizes) = *given;
  }
  if (asked.scales.empty() == asked.sizes.empty() && !asked.axes.empty())
    return call.error("needs either scales or sizes");
  const std::size_t count = std::max(asked.scales.size(), asked.sizes.size());
  if (count != asked.axes.size())
    return call.error("needs one scale or size for each axis", std::to_string(count),
                      std::to_string(asked.axes.size()));
  const std::string policy = call.node.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    return call.error("unknown keep_aspect_ratio_policy", policy, "stretch, not_larger or not_smaller");
  if (!(asked.sizes.empty() ? set_scaled(call, asked, dims) : set_sized(call, asked, policy, dims))) return failure;
  return call.set(0, call.in(0).dtype, std::move(dims));
}

}  // namespace byoc::shapes
