// What convolutions and pools have in common: the geometry of a sliding kernel, always as depth, height, width.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "backends/c/lower/window.hpp"
#include "byoc/codegen.hpp"

namespace byoc::c {

using Dims3 = std::array<std::int64_t, 3>;

// Missing leading dims have length 1, step 1 and no padding.
struct Spatial {
  bool channels_last = false;
  std::int64_t batch = 1;
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  std::size_t rank = 0;  // spatial dims that the node has
  Dims3 in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, pad{0, 0, 0}, pad_end{0, 0, 0};

  [[nodiscard]] std::int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
  [[nodiscard]] std::int64_t in_size() const { return in[0] * in[1] * in[2]; }
  [[nodiscard]] std::int64_t out_size() const { return out[0] * out[1] * out[2]; }
};

// Reads the geometry from the node's attributes and the types of its first input and output. `global`: the kernel is
// the whole input. On failure `why` says what was found and what was expected.
[[nodiscard]] std::optional<Spatial> read_spatial(const codegen::Region&, const codegen::Node&, bool global,
                                                  std::string& why);

// The same without its depth, for tensors that have none.
struct Plane {
  Image in, out;
  Window window;
};
[[nodiscard]] std::optional<Plane> without_depth(const Spatial&);

}  // namespace byoc::c
