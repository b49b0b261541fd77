// Where the output of a sliding window may lie over its input.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/nodes/window.hpp"

namespace byoc::layers {

using nodes::Image;
using nodes::Window;

// How a kernel goes about one output pixel: it has read all that the pixel needs before it writes the first of its
// results, or it reads and writes in turns.
enum class Reads { before_writing, while_writing };

// How many bytes before its input the output may start (codegen::Overlay::lead) for a kernel that computes pixel by
// pixel, row by row, image by image, all channels of a pixel together; elements of both take `element_bytes`. Null
// where that saves nothing: the output would have to start as far before the input as it is long.
[[nodiscard]] std::optional<std::uint64_t> window_lead(const Image& in, const Image& out, const Window&, Reads,
                                                       std::int64_t element_bytes);

// The same for a kernel that computes `at_once` channels together, one such block after the other, image by image, each
// pixel by pixel, and of the image reads only these channels. With channels last a block's results lie only where that
// block was, as the lead is one of whole pixels, so others do not matter. With channels first each block of channels is
// an image of its own; the last may have fewer, which counts as if it had all. Null where the images differ in
// channels.
[[nodiscard]] std::optional<std::uint64_t> channel_lead(const Image& in, const Image& out, const Window&,
                                                        std::int64_t at_once, std::int64_t element_bytes,
                                                        Reads = Reads::before_writing);

// The same for a convolution whose kernel computes group by group, and of a group all results of a pixel together.
[[nodiscard]] std::optional<std::uint64_t> group_lead(const Image& in, const Image& out, const Window&,
                                                      std::int64_t groups, Reads, std::int64_t element_bytes);

// The same for a transposed convolution of one group without dilation, each of whose results gathers the elements that
// reach it.
[[nodiscard]] std::optional<std::uint64_t> transposed_lead(const Image& in, const Image& out, const Window&, Reads,
                                                           std::int64_t element_bytes);

// Runs of elements that are neighbours in source and target, one after the other.
struct Runs {
  std::int64_t length = 1;
  std::vector<std::int64_t> dims, from, to;  // of the runs: their numbers, and strides in elements
  std::int64_t distance = 0;  // of the first target from the start of the result, less that of its source
};

// The same for a step that copies so from an operand and has nothing else to do with it: runs are copied one by one,
// each to where no source is that is copied then or later. `results`: the elements of the output. Null where sources
// are not in the order in which they lie, too.
[[nodiscard]] std::optional<std::uint64_t> copy_lead(const Runs&, std::int64_t results, std::int64_t element_bytes);

// Whether the output may start at its input's address for a kernel that, channel by channel, has read all of an input
// channel of an image before it writes the output channels made of it.
[[nodiscard]] bool channels_in_place(const Image& in, const Image& out);

// Whether the place of this operand will probably be free once the node has run: it is computed in this region, and
// nobody else reads it. Only then does it pay to give up anything for writing into it.
[[nodiscard]] bool is_last_use(const codegen::Region&, codegen::ValueId);

}  // namespace byoc::layers
