// The check of a plan, from the definition of what a plan is; it shares no code with the planner.
#include <algorithm>
#include <set>
#include <tuple>

#include "sdk/plan/memory.hpp"

namespace byoc::plan {

Result<void> verify_plan(const Problem& problem, const Plan& plan, Diagnostics& diags) {
  bool ok = true;
  auto error = [&](const Buffer& b, const std::string& message, const std::string& found, const std::string& expected) {
    ok = false;
    diags.error({}, b.name, message, found, expected);
  };
  if (plan.offsets.size() != problem.buffers.size() || plan.pools.size() != problem.pools)
    return diags.error({}, {}, "the memory plan does not cover every buffer");

  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> allowed;
  for (const Overlay& o : problem.overlays) allowed.emplace(o.earlier, o.later, o.lead);
  // Whether `later` lies over `earlier` as an overlay says, in the one step that uses both.
  const auto overlays = [&](std::uint32_t earlier, std::uint32_t later) {
    const Buffer &a = problem.buffers[earlier], &b = problem.buffers[later];
    const std::uint64_t from = plan.offsets[later], to = plan.offsets[earlier];
    return from <= to && a.last == b.first && a.first < a.last && allowed.contains({earlier, later, to - from});
  };
  for (std::uint32_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& a = problem.buffers[i];
    const std::uint64_t begin = plan.offsets[i];
    const bool chosen = a.choices.empty() || std::find(a.choices.begin(), a.choices.end(), a.pool) != a.choices.end();
    if (a.pool >= problem.pools || !chosen) {
      error(a, "planned in a pool that it may not live in", std::to_string(a.pool), "one of its choices");
      continue;
    }
    if (begin % a.align != 0)
      error(a, "planned at a misaligned offset", std::to_string(begin), "a multiple of " + std::to_string(a.align));
    if (begin + a.bytes > plan.pools[a.pool].bytes)
      error(a, "planned past the end of the workspace", std::to_string(begin + a.bytes),
            std::to_string(plan.pools[a.pool].bytes));
    for (std::uint32_t j = 0; j < i; ++j) {
      const Buffer& b = problem.buffers[j];
      if (a.pool != b.pool || a.last < b.first || b.last < a.first) continue;
      const std::uint64_t other = plan.offsets[j];
      if (begin + a.bytes <= other || other + b.bytes <= begin) continue;
      if (overlays(j, i) || overlays(i, j)) continue;
      error(a, "planned over '" + b.name + "' while both are in use",
            "offsets " + std::to_string(begin) + " and " + std::to_string(other), "buffers apart");
    }
  }
  if (!ok) return failure;
  return {};
}

}  // namespace byoc::plan
