// Helpers of the pools: geometry, and the elements under each window.
#pragma once

#include <span>
#include <vector>

#include "sdk/model/evaluate/operators/spatial.hpp"

namespace byoc::evaluate {

struct Pool {
  Spatial in, out;
  std::array<WindowAxis, 3> axes;
  bool count_include_pad = false;
  Dims out_dims{};  // of the result: `out` has at most three spatial dims
};

Result<Pool> read_pool(const Call& call);
// A pool with one window over all spatial dims.
Result<Pool> read_global_pool(const Call& call);

// Calls f(inside, count) for every output element in the order batch, channel, spatial: the input elements under the
// window in row-major order, and the number of positions to divide by (count_include_pad).
template <class F>
void for_each_window(const Pool& p, F&& f) {
  std::vector<std::size_t> inside;
  auto visit = [&](std::int64_t base, std::array<Taps, 3> at) {
    inside.clear();
    std::int64_t count = 0;
    auto in_image = [&](std::size_t d, std::int64_t i) { return i >= 0 && i < p.in.size[d]; };
    // Padding that was asked for counts; what ceil_mode lets a window hang over does not.
    auto in_padding = [&](std::size_t d, std::int64_t i) { return i < p.in.size[d] + p.axes[d].pad_end; };
    for (std::int64_t kz = 0; kz < p.axes[0].kernel; ++kz)
      for (std::int64_t ky = 0; ky < p.axes[1].kernel; ++ky)
        for (std::int64_t kx = 0; kx < p.axes[2].kernel; ++kx) {
          const std::int64_t z = at[0].position(kz);
          const std::int64_t y = at[1].position(ky);
          const std::int64_t x = at[2].position(kx);
          const bool image = in_image(0, z) && in_image(1, y) && in_image(2, x);
          if (image)
            inside.push_back(
                static_cast<std::size_t>(base + z * p.in.stride[0] + y * p.in.stride[1] + x * p.in.stride[2]));
          if (image || (p.count_include_pad && in_padding(0, z) && in_padding(1, y) && in_padding(2, x))) ++count;
        }
    f(std::span<const std::size_t>(inside), count);
  };
  for (std::int64_t n = 0; n < p.out.batch; ++n)
    for (std::int64_t c = 0; c < p.out.channels; ++c)
      for (std::int64_t z = 0; z < p.out.size[0]; ++z)
        for (std::int64_t y = 0; y < p.out.size[1]; ++y)
          for (std::int64_t x = 0; x < p.out.size[2]; ++x)
            visit(n * p.in.batch_stride + c * p.in.channel_stride,
                  {taps(p.axes[0], z), taps(p.axes[1], y), taps(p.axes[2], x)});
}

// Values in the order of for_each_window(), put into the output's layout.
template <class T>
[[nodiscard]] std::vector<T> in_layout(const Pool& p, const std::vector<T>& values) {
  std::vector<T> out(values.size());
  std::size_t next = 0;
  for (std::int64_t n = 0; n < p.out.batch; ++n)
    for (std::int64_t c = 0; c < p.out.channels; ++c)
      for (std::int64_t z = 0; z < p.out.size[0]; ++z)
        for (std::int64_t y = 0; y < p.out.size[1]; ++y)
          for (std::int64_t x = 0; x < p.out.size[2]; ++x)
            out[static_cast<std::size_t>(n * p.out.batch_stride + c * p.out.channel_stride + z * p.out.stride[0] +
                                         y * p.out.stride[1] + x * p.out.stride[2])] = values[next++];
  return out;
}

}  // namespace byoc::evaluate
