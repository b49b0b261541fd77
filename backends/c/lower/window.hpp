// Images and windows of convolutions and pools, as kernels with strides take them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/c/operators.hpp"

namespace byoc::c {

// A tensor with channels and up to two spatial dims (height is 1 if there is one); strides in elements.
struct Image {
  std::int64_t batch = 1, height = 1, width = 1, channels = 1;
  std::int64_t batch_stride = 0, row = 0, col = 0, chan = 0;
};

struct Window {
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
};

// What `value`, an operand, is in the node's data_layout. Null: not three or four dims.
[[nodiscard]] std::optional<Image> read_image(const codegen::Node&, const codegen::Value&);
// The same of a result, whose layout may be one of its own: the attribute output_layout (layout/channels_last.hpp).
[[nodiscard]] std::optional<Image> read_output_image(const codegen::Node&, const codegen::Value&);
// The node's strides, dilations and pads with the kernel of its spatial dims. Null: not one or two of them, or a
// number that does not fit 15 bits.
[[nodiscard]] std::optional<Window> read_window(const codegen::Node&, const std::vector<std::int64_t>& kernel);

}  // namespace byoc::c
