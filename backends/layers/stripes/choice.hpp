// Chooses the parts of a region that are computed in stripes, to keep to a limit of memory.
#pragma once

#include <vector>

#include "backends/layers/recorder.hpp"
#include "backends/layers/stripes/arena.hpp"

namespace byoc::layers {

// The steps of a region without patches are those of `whole`, in their order.
//
// A patch replaces consecutive steps that read one computed value of other steps and give one to others. Its cost is
// the additional cost of its stripes beside the same arithmetic: calls, and rows that are moved or laid out once more.
// The choice is the cheapest sequence of steps and patches whose largest live set is at most `budget` bytes; if none is
// that small, the cheapest of those with the smallest largest live set. Values that come into the region or
// leave it do not count: they are the caller's, or counted elsewhere.
[[nodiscard]] std::vector<Patch> choose_patches(const codegen::Region&, const Recorder& whole, const OperatorTraits&,
                                                const PartWorkspace&, std::uint64_t budget);

}  // namespace byoc::layers
