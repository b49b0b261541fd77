#include "sdk/import/tflite/window.hpp"

#include <algorithm>

namespace byoc::tflite {
namespace {

constexpr const char* kAxis[] = {"height", "width"};

}  // namespace

Result<PlacedWindow> place(OperatorImport& op, ir::ValueId x, const Window& window, schema::Padding padding) {
  if (padding != schema::Padding::SAME && padding != schema::Padding::VALID)
    return op.refuse("unknown padding", std::to_string(static_cast<int>(padding)), "SAME or VALID");
  PlacedWindow placed{std::vector<std::int64_t>(4, 0), {}};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t in = op.dims(x)[i + 1];
    const std::int64_t kernel = window.kernel[i];
    const std::int64_t stride = window.strides[i];
    const std::int64_t dilation = window.dilations[i];
    auto below_one = [&](const char* what, std::int64_t found) {
      return op.refuse(std::string(what) + " out of range", std::string(kAxis[i]) + " " + std::to_string(found),
                       "1 or more");
    };
    if (in < 1) return below_one("input size", in);
    if (kernel < 1) return below_one("filter size", kernel);
    if (stride < 1) return below_one("stride", stride);
    if (dilation < 1) return below_one("dilation", dilation);
    const std::int64_t reach = (kernel - 1) * dilation + 1;  // of 31-bit numbers each
    if (padding == schema::Padding::VALID) {
      if (in < reach)
        return op.refuse("the window is larger than its input", std::string(kAxis[i]) + " " + std::to_string(reach),
                         "at most " + std::to_string(in));
      placed.output[i] = (in - reach) / stride + 1;
    } else {
      // TensorFlow's SAME: total = max((out - 1) * stride + reach - in, 0); the odd one goes after.
      placed.output[i] = (in + stride - 1) / stride;
      const std::int64_t total = std::max<std::int64_t>((placed.output[i] - 1) * stride + reach - in, 0);
      placed.pads[i] = total / 2;
      placed.pads[i + 2] = total - total / 2;
    }
  }
  return placed;
}

void describe_window(ir::Node& node, const Window& window, const PlacedWindow& placed) {
  node.attributes["data_layout"] = std::string("NHWC");
  node.attributes["kernel_shape"] = std::vector<std::int64_t>(window.kernel.begin(), window.kernel.end());
  node.attributes["strides"] = std::vector<std::int64_t>(window.strides.begin(), window.strides.end());
  node.attributes["pads"] = placed.pads;
}

}  // namespace byoc::tflite
