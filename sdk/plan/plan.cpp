#include "sdk/plan/plan.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace byoc::plan {
namespace {

std::uint64_t round_up(std::uint64_t n, std::uint64_t align) { return (n + align - 1) / align * align; }

bool overlap_in_time(const Buffer& a, const Buffer& b) { return a.first <= b.last && b.first <= a.last; }

// The overlays that can all be taken together: one buffer is overlaid by at most one other and overlays at most one.
std::vector<Overlay> usable_overlays(const Problem& problem) {
  std::vector<Overlay> out;
  std::vector<bool> overlaid(problem.buffers.size(), false);
  std::vector<bool> overlays(problem.buffers.size(), false);
  for (const Overlay& o : problem.overlays) {
    const Buffer& a = problem.buffers[o.earlier];
    const Buffer& b = problem.buffers[o.later];
    if (a.pool != b.pool || a.last != b.first || a.first == a.last) continue;
    if (overlaid[o.earlier] || overlays[o.later]) continue;
    overlaid[o.earlier] = overlays[o.later] = true;
    out.push_back(o);
  }
  return out;
}

// Buffers that share an address for good: overlay chains, each with the union of its members' lives.
struct Groups {
  std::vector<Buffer> buffers;
  std::vector<std::uint32_t> group_of;
};

Groups group(const Problem& problem, bool use_overlays) {
  std::vector<std::uint32_t> parent(problem.buffers.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const std::function<std::uint32_t(std::uint32_t)> root = [&](std::uint32_t b) {
    return parent[b] == b ? b : parent[b] = root(parent[b]);
  };
  std::vector<Buffer> merged = problem.buffers;
  if (use_overlays) {
    for (const Overlay& o : usable_overlays(problem)) {
      const std::uint32_t a = root(o.earlier);
      const std::uint32_t b = root(o.later);
      merged[a].bytes = std::max(merged[a].bytes, merged[b].bytes);
      merged[a].align = std::max(merged[a].align, merged[b].align);
      merged[a].last = merged[b].last;
      parent[b] = a;
    }
  }
  Groups out;
  out.group_of.resize(problem.buffers.size());
  std::vector<std::uint32_t> index(problem.buffers.size());
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b) {
    if (root(b) != b) continue;
    index[b] = static_cast<std::uint32_t>(out.buffers.size());
    out.buffers.push_back(merged[b]);
  }
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b) out.group_of[b] = index[root(b)];
  return out;
}

// Places buffers in the given order, each in the lowest gap that holds it.
std::uint64_t place(const std::vector<Buffer>& buffers, const std::vector<std::uint32_t>& order,
                    std::vector<std::uint64_t>& offsets) {
  std::uint64_t peak = 0;
  std::vector<std::uint32_t> placed;
  for (std::uint32_t b : order) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (std::uint32_t p : placed)
      if (overlap_in_time(buffers[p], buffers[b])) taken.emplace_back(offsets[p], offsets[p] + buffers[p].bytes);
    std::sort(taken.begin(), taken.end());
    std::uint64_t at = 0;
    for (const auto& [begin, end] : taken) {
      if (at + buffers[b].bytes <= begin) break;
      at = std::max(at, round_up(end, buffers[b].align));
    }
    offsets[b] = at;
    peak = std::max(peak, at + buffers[b].bytes);
    placed.push_back(b);
  }
  return peak;
}

using Order = std::function<bool(const Buffer&, const Buffer&)>;

std::uint64_t length(const Buffer& b) { return b.last - b.first + 1; }

const Order kOrders[] = {
    [](const Buffer& a, const Buffer& b) { return a.bytes > b.bytes; },
    [](const Buffer& a, const Buffer& b) { return a.bytes * length(a) > b.bytes * length(b); },
    [](const Buffer& a, const Buffer& b) { return a.first < b.first; },
    [](const Buffer& a, const Buffer& b) { return a.last > b.last; },
    [](const Buffer& a, const Buffer& b) { return length(a) != length(b) ? length(a) > length(b) : a.bytes > b.bytes; },
};

std::uint64_t largest(const std::vector<std::uint64_t>& v) {
  return v.empty() ? 0 : *std::max_element(v.begin(), v.end());
}

std::vector<std::uint64_t> live(const std::vector<Buffer>& buffers, std::uint32_t steps, std::uint32_t pool) {
  std::vector<std::uint64_t> out(steps, 0);
  for (const Buffer& b : buffers)
    if (b.pool == pool)
      for (std::uint32_t s = b.first; s <= b.last && s < steps; ++s) out[s] += b.bytes;
  return out;
}

struct Placement {
  std::uint64_t peak = UINT64_MAX;
  std::vector<std::uint64_t> offsets;  // of the problem's buffers
};

void improve(const Problem& problem, const Groups& groups, std::uint32_t pool, Placement& best) {
  const std::uint64_t bound = largest(live(groups.buffers, problem.steps, pool));
  std::vector<std::uint32_t> members;
  for (std::uint32_t g = 0; g < groups.buffers.size(); ++g)
    if (groups.buffers[g].pool == pool) members.push_back(g);
  for (const Order& less : kOrders) {
    std::vector<std::uint32_t> order = members;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return less(groups.buffers[a], groups.buffers[b]); });
    std::vector<std::uint64_t> offsets(groups.buffers.size(), 0);
    const std::uint64_t peak = place(groups.buffers, order, offsets);
    if (peak < best.peak) {
      best.peak = peak;
      for (std::size_t b = 0; b < problem.buffers.size(); ++b)
        if (problem.buffers[b].pool == pool) best.offsets[b] = offsets[groups.group_of[b]];
    }
    if (best.peak <= bound) return;
  }
}

// Offsets of the buffers of one pool.
Placement place_pool(const Problem& problem, const Groups& overlaid, const Groups& apart, std::uint32_t pool) {
  Placement best;
  best.offsets.assign(problem.buffers.size(), 0);
  improve(problem, overlaid, pool, best);
  improve(problem, apart, pool, best);
  return best;
}

bool fits(const Problem& problem, std::uint32_t pool) {
  if (pool >= problem.sizes.size() || problem.sizes[pool] == 0) return true;
  return place_pool(problem, group(problem, true), group(problem, false), pool).peak <= problem.sizes[pool];
}

constexpr std::uint32_t kNoPool = 0xffffffffu;

}  // namespace

void assign_pools(Problem& problem) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b) {
    Buffer& buffer = problem.buffers[b];
    if (buffer.choices.empty()) continue;
    buffer.pool = buffer.choices.size() == 1 ? buffer.choices[0] : kNoPool;
    if (buffer.choices.size() > 1) open.push_back(b);
  }
  std::stable_sort(open.begin(), open.end(), [&](std::uint32_t a, std::uint32_t b) {
    return problem.buffers[a].bytes > problem.buffers[b].bytes;
  });
  for (const std::uint32_t b : open) {
    const std::vector<std::uint32_t> choices = problem.buffers[b].choices;
    const bool placed = std::any_of(choices.begin(), choices.end(), [&](std::uint32_t pool) {
      problem.buffers[b].pool = pool;
      return fits(problem, pool);
    });
    if (!placed)
      problem.buffers[b].pool = std::find(choices.begin(), choices.end(), 0u) != choices.end() ? 0 : choices[0];
  }
}

std::vector<std::uint64_t> live_bytes(const Problem& problem, std::uint32_t pool) {
  std::vector<std::uint64_t> out = live(problem.buffers, problem.steps, pool);
  for (const Overlay& o : usable_overlays(problem)) {
    const Buffer& a = problem.buffers[o.earlier];
    const Buffer& b = problem.buffers[o.later];
    if (a.pool == pool) out[b.first] -= std::min(a.bytes, b.bytes);
  }
  return out;
}

Plan make_plan(const Problem& problem) {
  Plan out;
  out.offsets.assign(problem.buffers.size(), 0);
  out.pools.resize(problem.pools);
  const Groups overlaid = group(problem, true);
  const Groups apart = group(problem, false);
  for (std::uint32_t pool = 0; pool < problem.pools; ++pool) {
    const Placement best = place_pool(problem, overlaid, apart, pool);
    PoolUse& use = out.pools[pool];
    for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
      if (problem.buffers[b].pool != pool) continue;
      out.offsets[b] = best.offsets[b];
      use.bytes = std::max(use.bytes, out.offsets[b] + problem.buffers[b].bytes);
      use.align = std::max(use.align, problem.buffers[b].align);
    }
    use.lower_bound = largest(live_bytes(problem, pool));
  }
  return out;
}

}  // namespace byoc::plan
