// The overlays of a sliding window's output over its input.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/nodes/window.hpp"

namespace byoc::layers {

using nodes::Image;
using nodes::Window;

// The order of reads and writes for one output pixel: all reads before the first write of a result, or both in turns.
enum class Reads { before_writing, while_writing };

// The number of bytes before its input at which the output may start (codegen::Overlay::lead) for a kernel that
// computes pixel by pixel, row by row, image by image, all channels of a pixel together; elements of both take
// `element_bytes`. Nullopt if that saves nothing: the output would have to start as far before the input as it is long.
[[nodiscard]] std::optional<std::uint64_t> window_lead(const Image& in, const Image& out, const Window&, Reads,
                                                       std::int64_t element_bytes);

// As window_lead(), for a kernel that computes `at_once` channels together, one such block after the other, image by
// image, each pixel by pixel, and reads only these channels of the image. With channels last, a block's results lie
// only where that block was, because the lead consists of whole pixels, so other blocks do not matter. With channels
// first, each block of channels is an image of its own; the last may have fewer channels, and counts as a full one.
// Nullopt if the images have different numbers of channels.
[[nodiscard]] std::optional<std::uint64_t> channel_lead(const Image& in, const Image& out, const Window&,
                                                        std::int64_t at_once, std::int64_t element_bytes,
                                                        Reads = Reads::before_writing);

// As window_lead(), for a convolution whose kernel computes group by group, and in a group all results of a pixel
// together.
[[nodiscard]] std::optional<std::uint64_t> group_lead(const Image& in, const Image& out, const Window&,
                                                      std::int64_t groups, Reads, std::int64_t element_bytes);

// As window_lead(), for a transposed convolution of one group without dilation, each of whose results gathers the
// elements that reach it.
[[nodiscard]] std::optional<std::uint64_t> transposed_lead(const Image& in, const Image& out, const Window&, Reads,
                                                           std::int64_t element_bytes);

// Runs of elements that are neighbours in source and target, one after the other.
struct Runs {
  std::int64_t length = 1;
  std::vector<std::int64_t> dims, from, to;  // of the runs: their numbers, and strides in elements
  std::int64_t distance = 0;  // of the first target from the start of the result, less that of its source
};

// As window_lead(), for a step that copies runs from an operand and does nothing else with it: runs are copied one by
// one, each to a place from which nothing is copied then or later. `results`: the elements of the output. Nullopt if
// sources are not in the order in which they lie.
[[nodiscard]] std::optional<std::uint64_t> copy_lead(const Runs&, std::int64_t results, std::int64_t element_bytes);

// True if the output may start at its input's address for a kernel that, channel by channel, reads all of an input
// channel of an image before it writes the output channels made of it.
[[nodiscard]] bool channels_in_place(const Image& in, const Image& out);

// True if the storage of this operand is probably free after the node: it is computed in this region, and nobody else
// reads it. Only then is it worth a cost to write over it.
[[nodiscard]] bool is_last_use(const codegen::Region&, codegen::ValueId);

}  // namespace byoc::layers
