// The check of a plan, from the definition of what a plan is; it shares no code with the planner.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sdk/program/plan/memory.hpp"

namespace byoc::plan {
namespace {

// Checks the steps of one pool in order. Two buffers that are in use before a step and in it never touch: no overlay
// excuses them, so they lie apart, and a new buffer can only touch its neighbours.
class PoolCheck {
 public:
  // `touch` is told of two buffers that are in use in one step and touch.
  template <class Touch>
  static void run(const Problem& problem, const Plan& plan, std::vector<std::uint32_t> members, const Touch& touch) {
    const auto first = [&](std::uint32_t b) { return problem.buffers[b].first; };
    std::stable_sort(members.begin(), members.end(), [&](auto a, auto b) { return first(a) < first(b); });
    PoolCheck old(problem, plan);
    for (std::size_t i = 0; i < members.size();) {
      const std::uint32_t step = first(members[i]);
      old.end_before(step);
      PoolCheck fresh(problem, plan);
      for (; i < members.size() && first(members[i]) == step; ++i) {
        old.find(members[i], touch);
        if (!fresh.find(members[i], touch)) fresh.add(members[i]);
      }
      old.end_before(step + 1);
      for (const auto* list : {&fresh.at_, &fresh.points_})
        for (const auto& [place, b] : *list) old.add(b);
    }
  }

 private:
  PoolCheck(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {}

  using Place = std::pair<std::uint64_t, std::uint32_t>;  // offset, buffer

  std::uint64_t end(std::uint32_t b) const { return plan_.offsets[b] + problem_.buffers[b].bytes; }
  bool is_empty(std::uint32_t b) const { return problem_.buffers[b].bytes == 0; }

  void end_before(std::uint32_t step) {
    while (!last_.empty() && last_.begin()->first < step) {
      const std::uint32_t b = last_.begin()->second;
      at_.erase({plan_.offsets[b], b});
      points_.erase({plan_.offsets[b], b});
      last_.erase(last_.begin());
    }
  }

  void add(std::uint32_t b) {
    (is_empty(b) ? points_ : at_).emplace(Place{plan_.offsets[b], b}, b);
    last_.emplace(problem_.buffers[b].last, b);
  }

  // Returns true if there was one.
  template <class Touch>
  bool find(std::uint32_t b, const Touch& touch) const {
    bool found = false;
    const auto tell = [&](std::uint32_t other) {
      touch(b, other);
      found = true;
    };
    const std::uint64_t begin = plan_.offsets[b];
    auto it = at_.lower_bound({begin, 0});
    if (it != at_.begin() && end(std::prev(it)->second) > begin) tell(std::prev(it)->second);
    for (; it != at_.end() && it->first.first < end(b); ++it) tell(it->second);
    for (auto p = points_.upper_bound({begin, UINT32_MAX}); p != points_.end() && p->first.first < end(b); ++p)
      tell(p->second);
    return found;
  }

  const Problem& problem_;
  const Plan& plan_;
  std::map<Place, std::uint32_t> at_, points_;              // in use; those of no bytes by themselves
  std::set<std::pair<std::uint32_t, std::uint32_t>> last_;  // last step, buffer
};

}  // namespace

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
  // True if `later` lies over `earlier` as an overlay permits, in the one step that uses both.
  const auto overlays = [&](std::uint32_t earlier, std::uint32_t later) {
    const Buffer &a = problem.buffers[earlier], &b = problem.buffers[later];
    const std::uint64_t from = plan.offsets[later], to = plan.offsets[earlier];
    return from <= to && a.last == b.first && a.first < a.last && allowed.contains({earlier, later, to - from});
  };
  std::vector<std::vector<std::uint32_t>> members(problem.pools);
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
    members[a.pool].push_back(i);
  }
  for (std::vector<std::uint32_t>& of_pool : members)
    PoolCheck::run(problem, plan, std::move(of_pool), [&](std::uint32_t i, std::uint32_t j) {
      if (overlays(j, i) || overlays(i, j)) return;
      const auto [low, high] = std::minmax(i, j);
      error(problem.buffers[high], "planned over '" + problem.buffers[low].name + "' while both are in use",
            "offsets " + std::to_string(plan.offsets[high]) + " and " + std::to_string(plan.offsets[low]),
            "buffers apart");
    });
  if (!ok) return failure;
  return {};
}

}  // namespace byoc::plan
