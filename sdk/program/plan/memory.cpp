#include "sdk/program/plan/memory.hpp"

#include <algorithm>

#include "sdk/program/plan/one_pool.hpp"

namespace byoc::plan {
namespace {

// The placement found by assign_pools(), if there is one.
Placement known_placement(const Problem& problem, const std::vector<std::uint32_t>& buffers) {
  Placement out;
  for (const std::uint32_t b : buffers) {
    if (b >= problem.settled.size() || problem.settled[b] == kUnsettled) return {};
    out.offsets.push_back(problem.settled[b]);
    out.peak = std::max(out.peak == UINT64_MAX ? 0 : out.peak, problem.settled[b] + problem.buffers[b].bytes);
  }
  return out;
}

}  // namespace

std::vector<std::uint64_t> live_bytes(const Problem& problem, std::uint32_t pool) {
  return live_bytes(Parts(problem).of(by_pool(problem)[pool]));
}

Plan make_plan(const Problem& problem) {
  Plan out;
  out.offsets.assign(problem.buffers.size(), 0);
  out.pools.resize(problem.pools);
  const std::vector<std::vector<std::uint32_t>> pools = by_pool(problem);
  Parts parts(problem);
  for (std::uint32_t pool = 0; pool < problem.pools; ++pool) {
    const std::vector<std::uint32_t>& buffers = pools[pool];
    if (buffers.empty()) continue;
    const Problem part = parts.of(buffers);
    const Placement best = place(part, known_placement(problem, buffers));
    PoolUse& use = out.pools[pool];
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      out.offsets[buffers[i]] = best.offsets[i];
      use.bytes = std::max(use.bytes, best.offsets[i] + part.buffers[i].bytes);
      use.align = std::max(use.align, part.buffers[i].align);
    }
    use.lower_bound = largest(live_bytes(part));
  }
  return out;
}

}  // namespace byoc::plan
