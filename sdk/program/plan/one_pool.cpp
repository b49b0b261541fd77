#include "sdk/program/plan/one_pool.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "sdk/program/plan/occupied.hpp"

namespace byoc::plan {

std::uint64_t largest(const std::vector<std::uint64_t>& v) {
  return v.empty() ? 0 : *std::max_element(v.begin(), v.end());
}

namespace {

std::int64_t round_offset_up(std::int64_t n, std::int64_t align) { return (n + align - 1) / align * align; }

// The overlays that can all be taken together: one buffer is overlaid by at most one other and overlays at most one.
std::vector<Overlay> usable_overlays(const Problem& problem) {
  std::vector<Overlay> out;
  std::vector<bool> overlaid(problem.buffers.size(), false);
  std::vector<bool> overlays(problem.buffers.size(), false);
  for (const Overlay& o : problem.overlays) {
    if (!is_usable(problem, o) || overlaid[o.earlier] || overlays[o.later]) continue;
    overlaid[o.earlier] = overlays[o.later] = true;
    out.push_back(o);
  }
  return out;
}

// Buffers whose distances from each other are settled: chains of overlays, each buffer with its own life.
struct Body {
  struct Member {
    std::uint32_t buffer;
    std::int64_t at;  // bytes from the start of the body
  };
  std::vector<Member> members;
  // Totals over all members, for the orders.
  std::uint64_t bytes = 0;
  std::uint32_t align = 1, first = UINT32_MAX, last = 0;
};

std::vector<Body> make_bodies(const Problem& problem, const std::vector<Overlay>& overlays) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> next(problem.buffers.size(), kNone);
  std::vector<std::int64_t> leads(problem.buffers.size(), 0);
  std::vector<bool> heads(problem.buffers.size(), true);
  for (const Overlay& o : overlays) {
    next[o.earlier] = o.later;
    leads[o.later] = static_cast<std::int64_t>(o.lead);
    heads[o.later] = false;
  }
  std::vector<std::uint32_t> open;
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b)
    if (heads[b]) open.push_back(b);
  std::vector<Body> out;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::uint32_t head = open[i];
    Body body;
    std::int64_t at = 0, end = 0;
    for (std::uint32_t b = head; b != kNone; b = next[b]) {
      const Buffer& buffer = problem.buffers[b];
      const std::int64_t lead = b == head ? 0 : leads[b];
      // The sum of several leading offsets may not suit a buffer of a larger alignment: it starts a body of its own.
      if ((at - lead) % buffer.align != 0) {
        open.push_back(b);
        break;
      }
      at -= lead;
      end = std::max(end, at + static_cast<std::int64_t>(buffer.bytes));
      body.members.push_back({b, at});
      body.align = std::max(body.align, buffer.align);
      body.first = std::min(body.first, buffer.first);
      body.last = std::max(body.last, buffer.last);
    }
    // The last one starts lowest.
    const std::int64_t low = -round_offset_up(-at, body.align);
    for (Body::Member& m : body.members) m.at -= low;
    body.bytes = static_cast<std::uint64_t>(end - low);
    out.push_back(std::move(body));
  }
  return out;
}

// The largest power of two that divides every place of a buffer. Less than that between two buffers is of no use.
std::int64_t common_align(const std::vector<Body>& bodies) {
  std::uint64_t all = std::uint64_t{1} << 62U;
  for (const Body& body : bodies) {
    all |= body.align;
    for (const Body::Member& m : body.members) all |= static_cast<std::uint64_t>(m.at);
  }
  return static_cast<std::int64_t>(all & (~all + 1));
}

// Places bodies in the given order, each in the lowest place where none of its buffers meets another in use.
std::uint64_t place(const Problem& problem, const std::vector<Body>& bodies, const std::vector<std::uint32_t>& order,
                    std::vector<std::uint64_t>& offsets) {
  std::uint64_t peak = 0;
  Occupied occupied(problem.steps);
  const std::int64_t align = common_align(bodies);
  // With what is of no use behind it: neighbours are one range then.
  const auto end_of = [&](const Body::Member& m, std::int64_t at) {
    return round_offset_up(at + m.at + static_cast<std::int64_t>(problem.buffers[m.buffer].bytes), align);
  };
  for (const std::uint32_t index : order) {
    const Body& body = bodies[index];
    std::int64_t at = 0;
    // Members in turn, until as many as there are have found their place free.
    for (std::size_t k = 0, free = 0; free < body.members.size(); k = (k + 1) % body.members.size(), ++free) {
      const Body::Member& m = body.members[k];
      const Buffer& b = problem.buffers[m.buffer];
      while (const auto end = occupied.in_the_way(b.first, b.last, at + m.at, end_of(m, at))) {
        at = round_offset_up(*end - m.at, body.align);
        free = 0;
      }
    }
    for (const Body::Member& m : body.members) {
      const Buffer& b = problem.buffers[m.buffer];
      offsets[m.buffer] = static_cast<std::uint64_t>(at + m.at);
      peak = std::max(peak, offsets[m.buffer] + b.bytes);
      occupied.add(b.first, b.last, at + m.at, end_of(m, at));
    }
  }
  return peak;
}

using Order = std::function<bool(const Body&, const Body&)>;

std::uint64_t length(const Body& b) { return b.last - b.first + 1; }

const Order kOrders[] = {
    [](const Body& a, const Body& b) { return a.bytes > b.bytes; },
    [](const Body& a, const Body& b) { return a.bytes * length(a) > b.bytes * length(b); },
    [](const Body& a, const Body& b) { return a.first < b.first; },
    [](const Body& a, const Body& b) { return a.last > b.last; },
    [](const Body& a, const Body& b) { return length(a) != length(b) ? length(a) > length(b) : a.bytes > b.bytes; },
};

// Live bytes of each step: of a body from its lowest to its highest buffer that is in use.
std::vector<std::uint64_t> live(const Problem& problem, const std::vector<Body>& bodies) {
  // The difference of each step to the one before it, in numbers that wrap around.
  std::vector<std::uint64_t> out(problem.steps + 1, 0);
  const auto add = [&](std::uint32_t first, std::uint32_t end, std::uint64_t bytes) {
    if (first >= end) return;
    out[std::min(first, problem.steps)] += bytes;
    out[std::min(end, problem.steps)] -= bytes;
  };
  for (const Body& body : bodies) {
    // Each member's life begins in the last step of the one before it, which it shares with that one alone.
    for (std::size_t k = 0; k < body.members.size(); ++k) {
      const Body::Member& m = body.members[k];
      const Buffer& b = problem.buffers[m.buffer];
      const bool more = k + 1 < body.members.size();
      add(b.first + (k != 0 ? 1 : 0), more ? b.last : b.last + 1, b.bytes);
      if (!more) continue;
      const Body::Member& n = body.members[k + 1];
      const auto end = std::max(m.at + static_cast<std::int64_t>(b.bytes),
                                n.at + static_cast<std::int64_t>(problem.buffers[n.buffer].bytes));
      add(b.last, b.last + 1, static_cast<std::uint64_t>(end - std::min(m.at, n.at)));
    }
  }
  std::partial_sum(out.begin(), out.end(), out.begin());
  out.pop_back();
  return out;
}

// The overlays without which a step would need more than the largest live set. Buffers that are not bound to others are
// placed better.
std::vector<Overlay> needed_overlays(const Problem& problem, const std::vector<Overlay>& all) {
  const std::vector<std::uint64_t> bytes = live(problem, make_bodies(problem, all));
  const std::uint64_t most = largest(bytes);
  std::vector<Overlay> out;
  for (const Overlay& o : all) {
    const Buffer& a = problem.buffers[o.earlier];
    const Buffer& b = problem.buffers[o.later];
    const std::uint64_t saved = a.bytes + b.bytes - std::min(a.bytes + b.bytes, std::max(o.lead + a.bytes, b.bytes));
    if (bytes[b.first] + saved > most) out.push_back(o);
  }
  return out;
}

// Above this many bodies no orders beside the given ones are tried.
constexpr std::size_t kMostToMove = 256;

// `bound`: nothing smaller is possible.
void improve(const Problem& problem, const std::vector<Body>& bodies, std::uint64_t bound, Placement& best) {
  std::vector<std::uint32_t> members(bodies.size());
  std::iota(members.begin(), members.end(), 0U);
  std::vector<std::uint32_t> best_order;
  const auto is_better = [&](const std::vector<std::uint32_t>& order) {
    std::vector<std::uint64_t> offsets(problem.buffers.size(), 0);
    const std::uint64_t peak = place(problem, bodies, order, offsets);
    if (peak >= best.peak) return false;
    best = {peak, std::move(offsets)};
    best_order = order;
    return true;
  };
  for (const Order& less : kOrders) {
    if (best.peak <= bound) return;
    std::vector<std::uint32_t> order = members;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return less(bodies[a], bodies[b]); });
    is_better(order);
  }
  // Buffers that found no good place go first.
  for (std::size_t i = 0; i < best_order.size() && best_order.size() <= kMostToMove && best.peak > bound; ++i) {
    std::vector<std::uint32_t> order = best_order;
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i),
                order.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (is_better(order)) i = 0;
  }
}

}  // namespace

bool is_usable(const Problem& problem, const Overlay& o) {
  const Buffer& a = problem.buffers[o.earlier];
  const Buffer& b = problem.buffers[o.later];
  return a.last == b.first && a.first != a.last && o.lead % std::max(a.align, b.align) == 0 &&
         (o.lead == 0 || o.lead < b.bytes);
}

Placement place(const Problem& problem, Placement known) {
  const std::vector<Overlay> all = usable_overlays(problem);
  const std::vector<Body> bound = make_bodies(problem, all);
  const std::uint64_t least = largest(live(problem, bound));
  if (known.peak == UINT64_MAX) known.offsets.assign(problem.buffers.size(), 0);
  improve(problem, bound, least, known);
  improve(problem, make_bodies(problem, needed_overlays(problem, all)), least, known);
  improve(problem, make_bodies(problem, {}), least, known);
  return known;
}

std::vector<std::uint64_t> live_bytes(const Problem& problem) {
  return live(problem, make_bodies(problem, usable_overlays(problem)));
}

Parts::Parts(const Problem& problem)
    : problem_(problem), overlays_(problem.buffers.size()), index_(problem.buffers.size(), kNone) {
  for (std::uint32_t o = 0; o < problem.overlays.size(); ++o) overlays_[problem.overlays[o].later].push_back(o);
}

Problem Parts::of(const std::vector<std::uint32_t>& buffers) {
  Problem out;
  out.steps = problem_.steps;
  std::vector<std::uint32_t> overlays;
  for (const std::uint32_t b : buffers) {
    index_[b] = static_cast<std::uint32_t>(out.buffers.size());
    const Buffer& all = problem_.buffers[b];
    out.buffers.push_back({{}, all.bytes, all.align, all.first, all.last});
    overlays.insert(overlays.end(), overlays_[b].begin(), overlays_[b].end());
  }
  std::sort(overlays.begin(), overlays.end());
  for (const std::uint32_t o : overlays) {
    const Overlay& all = problem_.overlays[o];
    if (index_[all.earlier] != kNone) out.overlays.push_back({index_[all.earlier], index_[all.later], all.lead});
  }
  for (const std::uint32_t b : buffers) index_[b] = kNone;
  return out;
}

std::vector<std::vector<std::uint32_t>> by_pool(const Problem& problem) {
  std::vector<std::vector<std::uint32_t>> out(problem.pools);
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b)
    if (problem.buffers[b].pool < problem.pools) out[problem.buffers[b].pool].push_back(b);
  return out;
}

}  // namespace byoc::plan
