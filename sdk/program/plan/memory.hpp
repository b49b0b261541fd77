// The memory plan: one offset map per RAM pool for every buffer of every codegen's steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc::plan {

// Alignment of graph values, states included: that of any C object, because vendor code may load them by words.
inline constexpr std::uint32_t kValueAlign = 8;

// A buffer in use during the steps [first, last].
struct Buffer {
  std::string name;  // for diagnostics
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t pool = 0;
  std::vector<std::uint32_t> choices = {};  // pools it may live in, in order of preference; empty: `pool` alone
};

// Buffer `later` may start `lead` bytes before `earlier`, and reach into it. Counts only where `later` is first written
// in the step in which `earlier` is last read, and `earlier` was written before that step.
struct Overlay {
  std::uint32_t earlier = 0;
  std::uint32_t later = 0;
  std::uint64_t lead = 0;
};

struct Problem {
  std::uint32_t steps = 0;
  std::uint32_t pools = 1;
  std::vector<std::uint64_t> sizes = {};  // of each pool, bytes; 0 or missing: not bounded
  std::vector<Buffer> buffers;
  std::vector<Overlay> overlays;
  // Offsets at which assign_pools() saw the buffers of bounded pools fit, or kUnsettled; empty: it saw none.
  std::vector<std::uint64_t> settled = {};
};
inline constexpr std::uint64_t kUnsettled = UINT64_MAX;

struct PoolUse {
  std::uint64_t bytes = 0;        // peak: size of the workspace
  std::uint32_t align = 1;        // of its start
  std::uint64_t lower_bound = 0;  // largest live set over the steps
};

struct Plan {
  std::vector<std::uint64_t> offsets;  // for each buffer, bytes from the start of its pool
  std::vector<PoolUse> pools;
};

// Gives each buffer one of its choices: the first pool that has room for it besides the buffers already there, which
// may be moved. Buffers without a choice go first, then the largest. A buffer that fits nowhere stays in the first of
// its choices, or in pool 0 if that is one of them.
void assign_pools(Problem&);

// Greedy placement in several orders, with all overlays, with those that are needed for the smallest peak, and without;
// then what found no good place goes first; the smallest peak wins. Deterministic.
[[nodiscard]] Plan make_plan(const Problem&);

// Checks a plan from its definition, sharing no code with make_plan: alignment, bounds, that each buffer is in a pool
// of its choice, and that two buffers in use in the same step do not touch unless one overlays the other at its
// lead. Errors name both buffers. Whether pools are large enough is the caller's to say.
Result<void> verify_plan(const Problem&, const Plan&, Diagnostics&);

// Live bytes of each step in a pool (what overlaid pairs share is counted once).
[[nodiscard]] std::vector<std::uint64_t> live_bytes(const Problem&, std::uint32_t pool);

}  // namespace byoc::plan
