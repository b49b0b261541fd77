#include "sdk/model/evaluate/window.hpp"

namespace byoc::evaluate {
namespace {

constexpr std::int64_t kLargest = (std::int64_t{1} << 31) - 1;

}  // namespace

Result<std::vector<WindowAxis>> read_window(const ir::Graph& graph, const ir::Node& node,
                                            const std::vector<std::int64_t>& kernel, Diagnostics& diags) {
  const std::size_t n = kernel.size();
  auto list = [&](const char* key, std::size_t count, std::int64_t otherwise,
                  std::int64_t least) -> Result<std::vector<std::int64_t>> {
    std::vector<std::int64_t> values = node.integers(key, std::vector<std::int64_t>(count, otherwise));
    if (values.size() != count)
      return diags.error(graph.file, node.describe(), std::string("attribute ") + key + " has the wrong length",
                         std::to_string(values.size()), std::to_string(count));
    for (const std::int64_t v : values)
      if (v < least || v > kLargest)
        return diags.error(graph.file, node.describe(), std::string("attribute ") + key + " is out of range",
                           std::to_string(v), "at least " + std::to_string(least) + " and below 2^31");
    return values;
  };
  const auto strides = list("strides", n, 1, 1);
  const auto dilations = list("dilations", n, 1, 1);
  const auto pads = list("pads", 2 * n, 0, 0);
  if (!strides || !dilations || !pads) return failure;
  std::vector<WindowAxis> axes;
  for (std::size_t i = 0; i < n; ++i) {
    if (kernel[i] < 1 || kernel[i] > kLargest)
      return diags.error(graph.file, node.describe(), "kernel size is out of range", std::to_string(kernel[i]),
                         "at least 1 and below 2^31");
    axes.push_back({kernel[i], (*strides)[i], (*dilations)[i], (*pads)[i], (*pads)[n + i]});
  }
  return axes;
}

std::optional<std::int64_t> window_output(std::int64_t input, const WindowAxis& axis, bool ceil) {
  // Each term is below 2^31 or, the dilated extent, below 2^62: no sum leaves int64.
  if (input < 0 || input > (std::int64_t{1} << 60)) return std::nullopt;
  const std::int64_t extent = (axis.kernel - 1) * axis.dilation + 1;
  const std::int64_t room = input + axis.pad_begin + axis.pad_end - extent;
  if (room < 0) return std::nullopt;
  std::int64_t length = room / axis.stride + 1;
  const bool hangs_over = room % axis.stride != 0;
  if (ceil && hangs_over && length * axis.stride < input + axis.pad_begin) ++length;
  return length;
}

}  // namespace byoc::evaluate
