// The lines of a layer's channels (sum_line.hpp), for kernels that turn sums into results by them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backends/c/operators.hpp"
#include "byoc/nodes/activation.hpp"
#include "byoc/nodes/quantised_layer.hpp"

namespace byoc::c {

// A result is (sum * scale + start * 2^32) >> (32 + shift), clamped, where the sum starts from the bias.
struct RequantLines {
  int shift = 0;                     // > 0
  std::vector<std::int32_t> bias;    // with what the input's zero point and the line add
  std::vector<std::int32_t> scales;  // scale and start of each channel
};

// The lines of a layer whose weights are `rows`, those of one channel behind the other. Nullopt if some channel has no
// line.
[[nodiscard]] std::optional<RequantLines> lines_of(const QuantisedLayer&, Clamp, std::span<const std::int8_t> rows,
                                                   std::int64_t channels);

}  // namespace byoc::c
