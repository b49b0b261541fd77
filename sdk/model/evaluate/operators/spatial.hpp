// Tensors with batch, channels and up to three spatial dims, in either data layout, as sizes and strides.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sdk/model/evaluate/call.hpp"
#include "sdk/model/evaluate/window.hpp"

namespace byoc::evaluate {

enum class DataLayout { nchw, nhwc };

struct Spatial {
  DataLayout layout = DataLayout::nchw;
  std::size_t rank = 4;
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::array<std::int64_t, 3> size{1, 1, 1};  // missing dims are leading ones
  std::int64_t batch_stride = 0;
  std::int64_t channel_stride = 0;
  std::array<std::int64_t, 3> stride{0, 0, 0};

  [[nodiscard]] Dims dims() const;
};

Result<DataLayout> data_layout(const Call& call);
// Error: a rank outside 3 to 5.
Result<Spatial> read_spatial(const Call& call, const Tensor& tensor, DataLayout layout);
// The strides follow from the sizes.
[[nodiscard]] Spatial make_spatial(DataLayout layout, std::size_t rank, std::int64_t batch, std::int64_t channels,
                                   std::array<std::int64_t, 3> size);

// The node's window with unit axes in front, and the output sizes. Errors: auto_pad that has not been resolved, a
// window that does not fit.
struct Windows {
  std::array<WindowAxis, 3> axes;
  std::array<std::int64_t, 3> out;
};
Result<Windows> read_windows(const Call& call, const Spatial& in, const std::vector<std::int64_t>& kernel);

// The taps k of [0, kernel) that read an element of [0, size) for output position `out`: position(k) = first + k *
// step.
struct Taps {
  std::int64_t first;
  std::int64_t step;
  [[nodiscard]] std::int64_t position(std::int64_t k) const { return first + k * step; }
};
[[nodiscard]] inline Taps taps(const WindowAxis& axis, std::int64_t out) {
  return {out * axis.stride - axis.pad_begin, axis.dilation};
}

}  // namespace byoc::evaluate
