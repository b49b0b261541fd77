// A region as jobs for the device: command streams, packed weights, and where every value is.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "layer.hpp"

namespace npu {

// One job is one step of the model.
struct Job {
  std::vector<std::uint32_t> commands;
  std::vector<std::byte> weights;
  std::vector<ValueId> inputs;   // NPU_INPUT + index
  std::vector<ValueId> outputs;  // NPU_OUTPUT + index
  std::uint32_t line_bytes = 0;
  std::uint32_t scratch_bytes = 0;
  std::vector<byoc::codegen::NodeId> nodes;
  std::uint64_t macs = 0;
};

// How a value that does not leave the region is stored.
struct Storage {
  ValueId root = kNoValue;  // whose bytes it is: a Reshape makes no new ones
  std::int64_t pitch = 1;   // bytes from row to row
  std::uint64_t bytes = 0;
  bool border = false;  // the root, or what is made of it by a Reshape, is an input or output of the region
};

struct Plan {
  std::vector<Storage> values;  // for each value of the region
  std::vector<Job> jobs;
};

enum class Granularity { region, layer };

// `layers`: one for each node of the region. region: one job, in whose scratch memory the region's own values share
// space. layer: a job for each layer, whose operands are all given by the caller.
[[nodiscard]] Plan lower(const Region& region, const std::vector<Layer>& layers, Granularity granularity);

}  // namespace npu
