// The values that cross from one codegen to another, and the totals of regions.
#pragma once

#include <optional>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/codegen/partition/partition.hpp"

namespace byoc {

// The values that one codegen makes and another reads, of one run of the graph; of bodies one round. At a border a
// value has the graph's own layout and lies in the target's first RAM, where both find it: nothing is copied.
struct Border {
  std::size_t from = 0, to = 0;  // codegens
  std::size_t values = 0;
  std::uint64_t bytes = 0;        // of them
  std::uint64_t cache_lines = 0;  // that an accelerator's driver writes back or drops, where that RAM is cached
  // Cycles to write and to read the values: for each value, twice the latency and the bytes by the bandwidth of that
  // RAM, and the lines once more. Nullopt if the target does not give the bandwidth.
  std::optional<std::uint64_t> cycles;
};

// The cycles for handing one value of `bytes` bytes to another codegen, as Border::cycles counts them.
[[nodiscard]] std::optional<std::uint64_t> cycles_to_hand_over(std::uint64_t bytes, const TargetSpec& target);

// The borders in the order of the regions that compute the values.
[[nodiscard]] std::vector<Border> borders_of(const ir::Graph& graph, const Partition& partition,
                                             const TargetSpec& target);

// The totals of a region's steps. Shared kernels count in each region that calls them.
struct RegionTotals {
  std::size_t steps = 0;
  std::uint64_t constant_bytes = 0;   // flash
  std::uint64_t kernel_bytes = 0;     // flash, estimated; 0: not known
  std::uint64_t ram_bytes = 0;        // most workspace in use while one of its steps runs, of everybody's values
  std::uint64_t workspace_bytes = 0;  // largest scratch of one of its steps, part of it
};
// The totals of Partition::regions, in that order.
[[nodiscard]] std::vector<RegionTotals> region_totals(const ir::Graph& graph, const Partition& partition,
                                                      const ModelInterface& model);

}  // namespace byoc
