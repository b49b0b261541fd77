// The filters of i8 convolutions in the orders that their kernels read, of the filter as [output channel][tap][input
// channel of the group] (filter_rows). weight_packing.hpp has those that products of rows with a matrix read, too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/c/emitter.hpp"
#include "byoc/nodes/convolution.hpp"

namespace byoc::c {

// The rows of a layer's constant i8 filter.
[[nodiscard]] std::vector<std::int8_t> filter_rows_of(const Convolution&, const codegen::Value& weights);

// Rows and columns of a depthwise filter exchanged, for an image that is walked by columns.
[[nodiscard]] std::vector<std::int8_t> transposed_rows(const Convolution&, const std::vector<std::int8_t>& rows);

// [tap][channel] of [channel][tap].
[[nodiscard]] std::vector<std::int8_t> by_tap(const std::vector<std::int8_t>& rows, std::int64_t taps);

// [some channels][tap][channel] of [channel][tap], the last channels filled up with zeros.
[[nodiscard]] std::vector<std::int8_t> by_channels(const std::vector<std::int8_t>& rows, std::int64_t taps,
                                                   std::size_t channels);

}  // namespace byoc::c
