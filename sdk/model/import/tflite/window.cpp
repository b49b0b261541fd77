#include "sdk/model/import/tflite/window.hpp"

#include <algorithm>
#include <iterator>

namespace byoc::tflite {

const char* spatial_name(std::size_t i, std::size_t spatial) {
  constexpr const char* kNames[] = {"depth", "height", "width"};
  return kNames[std::size(kNames) - spatial + i];
}

namespace {

Result<void> expect_padding(OperatorImport& op, schema::Padding padding) {
  if (padding == schema::Padding::SAME || padding == schema::Padding::VALID) return {};
  return op.refuse("unknown padding", std::to_string(static_cast<int>(padding)), "SAME or VALID");
}

// Padding before the output of a transposed convolution, equal to the padding of a convolution that leads from the
// output back to the input. The division drops the fraction as the kernel's does, also below 0.
std::int64_t padding_before(std::int64_t out, std::int64_t kernel, std::int64_t stride, schema::Padding padding) {
  const std::int64_t windows = (padding == schema::Padding::SAME ? out + stride - 1 : out + stride - kernel) / stride;
  return std::max<std::int64_t>((windows - 1) * stride + kernel - out, 0) / 2;
}

}  // namespace

Result<PlacedWindow> place(OperatorImport& op, ir::ValueId x, const Window& window, schema::Padding padding) {
  if (!expect_padding(op, padding)) return failure;
  const std::size_t spatial = window.kernel.size();
  PlacedWindow placed{std::vector<std::int64_t>(2 * spatial, 0), std::vector<std::int64_t>(spatial)};
  for (std::size_t i = 0; i < spatial; ++i) {
    const char* const name = spatial_name(i, spatial);
    const std::int64_t in = op.dims(x)[i + 1];
    const std::int64_t kernel = window.kernel[i];
    const std::int64_t stride = window.strides[i];
    const std::int64_t dilation = window.dilations[i];
    auto below_one = [&](const char* what, std::int64_t found) {
      return op.refuse(std::string(what) + " out of range", std::string(name) + " " + std::to_string(found),
                       "1 or more");
    };
    if (in < 1) return below_one("input size", in);
    if (kernel < 1) return below_one("filter size", kernel);
    if (stride < 1) return below_one("stride", stride);
    if (dilation < 1) return below_one("dilation", dilation);
    const std::int64_t reach = (kernel - 1) * dilation + 1;  // of 31-bit numbers each
    if (padding == schema::Padding::VALID) {
      if (in < reach)
        return op.refuse("the window is larger than its input", std::string(name) + " " + std::to_string(reach),
                         "at most " + std::to_string(in));
      placed.output[i] = (in - reach) / stride + 1;
    } else {
      // TensorFlow's SAME: total = max((out - 1) * stride + reach - in, 0); the odd one goes after.
      placed.output[i] = (in + stride - 1) / stride;
      const std::int64_t total = std::max<std::int64_t>((placed.output[i] - 1) * stride + reach - in, 0);
      placed.pads[i] = total / 2;
      placed.pads[i + spatial] = total - total / 2;
    }
  }
  return placed;
}

void describe_window(ir::Node& node, const Window& window, const PlacedWindow& placed) {
  node.attributes["data_layout"] = std::string("NHWC");
  node.attributes["kernel_shape"] = window.kernel;
  node.attributes["strides"] = window.strides;
  node.attributes["pads"] = placed.pads;
}

Result<SpreadWindow> place_spread(OperatorImport& op, ir::ValueId x, const Window& window, schema::Padding padding) {
  if (!expect_padding(op, padding)) return failure;
  const std::size_t spatial = window.kernel.size();
  SpreadWindow out{std::vector<std::int64_t>(2 * spatial, 0), {}};
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t in = op.dims(x)[i + 1], taps = window.kernel[i];
    const std::int64_t length = op.dims(op.output())[i + 1], stride = window.strides[i];
    const std::int64_t dilation = window.dilations[i];
    for (const auto& [what, found] :
         {std::pair{"input size", in}, std::pair{"filter size", taps}, std::pair{"output size", length},
          std::pair{"stride", stride}, std::pair{"dilation", dilation}})
      if (found < 1)
        return op.refuse(std::string(what) + " out of range",
                         std::string(spatial_name(i, spatial)) + " " + std::to_string(found), "1 or more");
    const std::int64_t reach = (taps - 1) * dilation + 1;
    out.pads[i] = padding_before(length, reach, stride, padding);
    const std::int64_t reached = (in - 1) * stride + reach - out.pads[i];
    out.pads[i + spatial] = std::max<std::int64_t>(reached - length, 0);
    out.beyond.push_back(std::max<std::int64_t>(length - reached, 0));
  }
  return out;
}

void describe_spread(ir::Node& node, const Window& window, const SpreadWindow& spread) {
  node.attributes["data_layout"] = std::string("NHWC");
  node.attributes["filter_layout"] = std::string("OHWI");
  node.attributes["kernel_shape"] = window.kernel;
  node.attributes["strides"] = window.strides;
  node.attributes["dilations"] = window.dilations;
  node.attributes["pads"] = spread.pads;
  node.attributes["output_padding"] = spread.beyond;
  node.attributes["group"] = std::int64_t{1};
}

}  // namespace byoc::tflite
