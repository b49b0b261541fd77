// Attributes and weights of sliding windows, for real and quantised layers.
#pragma once

#include "sdk/app/check/random_graph/builder.hpp"

namespace byoc::check {

// kernel_shape, strides, pads and, if `dilated`, dilations that fit `spatial`; empty where a dim is 0.
[[nodiscard]] Builder::Attributes window(Builder& b, const Dims& spatial, bool dilated);

struct ConvShape {
  Builder::Attributes attributes;  // empty: there is no convolution of this input
  Dims weights;
  std::int64_t out_channels = 0;
  std::int32_t channel_axis = 0;  // of the weights: output channels
};
[[nodiscard]] ConvShape conv_shape(Builder& b, const Dims& input);

}  // namespace byoc::check
