// Pools in a plane: their geometry with strides, and what an average divides by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "byoc/codegen.hpp"
#include "byoc/nodes/activation.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/quantisation.hpp"
#include "byoc/nodes/verdict.hpp"
#include "byoc/nodes/window.hpp"

namespace byoc::nodes {

struct Pool {
  Image in, out;
  Window window;
  Clamp clamp;               // of the fused activation; all that the output can be where it is not quantised
  std::int64_t divisor = 0;  // of an average; 0: by as many elements as are inside the image
};

// AveragePool or GlobalAveragePool. Null, with the reason in `why`: more than two spatial dims, numbers of 15 bits or
// more, dilations, padding as long as the window, count_include_pad with ceil_mode, an unknown activation.
[[nodiscard]] inline std::optional<Pool> read_average_pool(const codegen::Region& region, const codegen::Node& node,
                                                           codegen::Verdict& why) {
  const codegen::Value& x = region.values[node.inputs[0]];
  const codegen::Value& y = region.values[node.outputs[0]];
  const auto in = read_image(node, x), out = read_output_image(node, y);
  if (!in || !out) {
    why = refuse(codegen::Reason::unsupported_shape,
                 "found input " + shape_text(x.dims) + ", expected one or two spatial dims");
    return std::nullopt;
  }
  Pool p{*in, *out, {}, range_of(y), 0};
  if (node.op == "GlobalAveragePool") {
    p.window.kernel_h = in->height;
    p.window.kernel_w = in->width;
    if (in->height > 32767 || in->width > 32767) {
      why = refuse(codegen::Reason::unsupported_shape,
                   "found input " + shape_text(x.dims) + ", expected dims below 2^15");
      return std::nullopt;
    }
    return p;
  }
  const auto window = read_window(node, node.integers("kernel_shape", {}));
  const auto clamp = y.quantised() ? activation_clamp(region, node, y) : std::optional(range_of(y));
  if (!window || window->dilation_h != 1 || window->dilation_w != 1 || window->pad_top >= window->kernel_h ||
      window->pad_left >= window->kernel_w || !clamp) {
    why = refuse(codegen::Reason::unsupported_attribute,
                 "expected one or two spatial dims, no dilation, padding shorter than the kernel, a known activation");
    return std::nullopt;
  }
  p.window = *window;
  p.clamp = *clamp;
  if (node.integer("count_include_pad", 0)) {
    if (node.integer("ceil_mode", 0)) {
      why = refuse(codegen::Reason::unsupported_attribute,
                   "found count_include_pad with ceil_mode, expected one of them");
      return std::nullopt;
    }
    p.divisor = window->kernel_h * window->kernel_w;
  }
  return p;
}

}  // namespace byoc::nodes
