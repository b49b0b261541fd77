// Which parts of a region are computed in stripes, so that it takes no more memory than it may.
#pragma once

#include <vector>

#include "backends/layers/recorder.hpp"
#include "backends/layers/stripes/arena.hpp"

namespace byoc::layers {

// What a region's steps are without patches: those of `whole`, in their order.
//
// A patch takes the place of steps that follow each other, read one computed value of others and give one to others.
// The cost of a patch is what its stripes cost beside the same arithmetic: calls, and rows that are moved or laid out
// once more. Of all sequences of steps and patches whose largest live set is at most `budget` bytes the cheapest is
// taken; where none is that small, the cheapest of those whose largest live set is smallest. Values that come into the
// region or leave it do not count: they are the caller's, or counted elsewhere.
[[nodiscard]] std::vector<Patch> choose_patches(const codegen::Region&, const Recorder& whole, const OperatorTraits&,
                                                const PartWorkspace&, std::uint64_t budget);

}  // namespace byoc::layers
