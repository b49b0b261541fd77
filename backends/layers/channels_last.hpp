// Images with their channels last, where the model has them first: the kernels of convolutions read the channels of a
// pixel together, and can write their results over what they read.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "backends/layers/operator_traits.hpp"
#include "byoc/codegen.hpp"

namespace byoc::layers {

// A region whose values lie in memory as is best, and how it came from the region as the graph has it.
//
// Ids of the graph's values stay. A turned value has its dims in the order of memory; values behind the graph's are
// further forms of them, or constants; a form whose bytes are the same has the storage of the graph's value. Spatial
// nodes on turned values have data_layout NHWC, and `output_layout` where their result lies otherwise
// (read_output_image). Nodes that turn a value are Transposes.
struct LaidOutRegion {
  LaidOutRegion() = default;
  LaidOutRegion(LaidOutRegion&&) = default;  // moves only: values point into `constants`
  LaidOutRegion& operator=(LaidOutRegion&&) = default;

  codegen::Region region;
  // [node] the graph's nodes that it computes or serves.
  std::vector<std::vector<codegen::NodeId>> origins;
  std::vector<bool> is_own;              // [value] whether its storage is the backend's own
  std::vector<codegen::ValueId> values;  // [value] the graph's value whose elements it has
  // Values of the graph that are nowhere, each with the result of the node that reads another form of it.
  std::vector<std::pair<codegen::ValueId, codegen::ValueId>> gone;
  std::vector<std::vector<std::byte>> constants;
};

struct Turning {
  bool always = false;         // wherever it can be, for tests; else where convolutions gain by it
  bool spares_memory = false;  // no copy of an image for a single layer
};

// `claims`: whether a node can be compiled; those that cannot any more keep their form. Null where nothing is turned.
// The constants of `region` outlive the result.
[[nodiscard]] std::optional<LaidOutRegion> with_channels_last(
    const codegen::Region& region, const Turning& how, const OperatorTraits& traits,
    const std::function<bool(const codegen::Region&, const codegen::Node&)>& claims);

}  // namespace byoc::layers
