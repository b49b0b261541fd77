// Sliding windows of convolutions and pools: which attribute means what, how long the output is, which input element a
// tap reads. Also what shape inference computes with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::evaluate {

struct WindowAxis {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad_begin = 0;
  std::int64_t pad_end = 0;
};

// Reads strides, dilations and pads of a node with `kernel.size()` spatial dims and checks them: right counts, strides
// and dilations of at least 1, kernels of at least 1, no negative pads, everything below 2^31. auto_pad is not looked
// at. Errors are reported for the node.
Result<std::vector<WindowAxis>> read_window(const ir::Graph&, const ir::Node&, const std::vector<std::int64_t>& kernel,
                                            Diagnostics&);

// Output length along one axis; nullopt when the window does not fit into the padded input. With `ceil` a last window
// that starts inside the input or its begin padding counts although it hangs over the end (ONNX: one that would start
// in the end padding does not).
[[nodiscard]] std::optional<std::int64_t> window_output(std::int64_t input, const WindowAxis&, bool ceil);

}  // namespace byoc::evaluate
