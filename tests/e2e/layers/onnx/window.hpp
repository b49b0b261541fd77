// Sliding windows of convolutions and pools: one spatial dimension at a time.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/e2e/layers/onnx/onnx_model.hpp"

namespace byoc::test {

struct Window {
  std::int32_t in = 1, kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0;  // begin and end: the pads
  bool ceil = false;

  [[nodiscard]] std::int32_t reach() const { return (kernel - 1) * dilation + 1; }
  [[nodiscard]] std::int32_t out() const {
    const std::int32_t room = in + begin + end - reach();
    if (!ceil) return room / stride + 1;
    const std::int32_t windows = (room + stride - 1) / stride + 1;
    return (windows - 1) * stride >= in + begin ? windows - 1 : windows;  // none starts in the padding at the end
  }
  // The input position under tap k of output position o; it may be outside.
  [[nodiscard]] std::int32_t at(std::int32_t o, std::int32_t k) const { return o * stride - begin + k * dilation; }
  [[nodiscard]] bool is_inside(std::int32_t position) const { return position >= 0 && position < in; }
};

// Windows of a node of so many spatial dims, padded as `auto_pad` says.
struct Windows {
  std::vector<Window> dims;
  const char* auto_pad = "NOTSET";

  [[nodiscard]] Shape in() const;
  [[nodiscard]] Shape out() const;
  [[nodiscard]] Shape kernel() const;
  [[nodiscard]] std::string text() const;
  // Calls f with the input's position under each tap, whose index is `tap`, of the window of `out`; outside ones too.
  void for_each_tap(const Index& out, const std::function<void(const Index& position, const Index& tap)>& f) const;
  // Sets strides, pads and, if the operator has them, dilations, and kernel_shape. What has its default may be left
  // off.
  void set_attributes(onnx::NodeProto&, Random&, bool has_dilations = true) const;
};

// The spatial dims or places behind those in `front`.
[[nodiscard]] inline Shape behind(Shape front, const Shape& spatial) {
  front.insert(front.end(), spatial.begin(), spatial.end());
  return front;
}

// `small`: small windows of small tensors.
[[nodiscard]] Windows random_windows(Random&, std::int32_t largest_dilation, bool small);

}  // namespace byoc::test
