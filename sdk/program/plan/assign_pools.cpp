#include <algorithm>
#include <optional>

#include "sdk/program/plan/one_pool.hpp"

namespace byoc::plan {
namespace {

constexpr std::uint32_t kNoPool = UINT32_MAX;

// A pool of bounded size while buffers are assigned: what is in it, and where.
class Filling {
 public:
  Filling(const Problem& problem, Parts& parts, std::uint64_t size, std::vector<std::uint32_t> buffers)
      : problem_(problem), parts_(parts), size_(size), buffers_(std::move(buffers)) {
    const Placement now = place(parts_.of(buffers_));
    is_full_ = now.peak > size_;
    offsets_ = now.offsets;
  }

  // Takes a buffer in if it has room for it: beside what is there, or after all of it was moved. `overlays`: those that
  // are usable and in which it takes part.
  bool take(std::uint32_t buffer, const std::vector<Overlay>& overlays) {
    if (is_full_ || problem_.buffers[buffer].bytes > size_) return false;
    if (const auto at = free_place(buffer, overlays)) {
      buffers_.push_back(buffer);
      offsets_.push_back(*at);
      return true;
    }
    if (is_hopeless(buffer, overlays)) return false;
    buffers_.push_back(buffer);
    Placement all = place(parts_.of(buffers_));
    if (all.peak > size_) {
      buffers_.pop_back();
      return false;
    }
    offsets_ = std::move(all.offsets);
    return true;
  }

  // Something is there that has no room.
  void overfill() { is_full_ = true; }

  void settle(std::vector<std::uint64_t>& offsets) const {
    for (std::size_t i = 0; i < buffers_.size(); ++i) offsets[buffers_[i]] = offsets_[i];
  }

 private:
  struct Neighbour {
    std::int64_t begin, end;
    std::optional<std::int64_t> overlaid;  // where the buffer overlays it, or is overlaid by it
  };

  bool meet(std::uint32_t a, std::uint32_t b) const {
    return problem_.buffers[a].first <= problem_.buffers[b].last &&
           problem_.buffers[b].first <= problem_.buffers[a].last;
  }

  // The buffers in use in one of the buffer's steps.
  std::vector<Neighbour> neighbours(std::uint32_t buffer, const std::vector<Overlay>& overlays) const {
    std::vector<Neighbour> out;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const std::uint32_t b = buffers_[i];
      if (!meet(b, buffer)) continue;
      const auto at = static_cast<std::int64_t>(offsets_[i]);
      out.push_back({at, at + static_cast<std::int64_t>(problem_.buffers[b].bytes), std::nullopt});
      for (const Overlay& o : overlays)
        if (o.earlier == b || o.later == b)
          out.back().overlaid = at + (o.earlier == b ? -1 : 1) * static_cast<std::int64_t>(o.lead);
    }
    return out;
  }

  // An offset at which the buffer overlays what it may, or else the lowest free offset.
  std::optional<std::uint64_t> free_place(std::uint32_t buffer, const std::vector<Overlay>& overlays) const {
    std::vector<Neighbour> all = neighbours(buffer, overlays);
    const Buffer& b = problem_.buffers[buffer];
    const auto bytes = static_cast<std::int64_t>(b.bytes), size = static_cast<std::int64_t>(size_);
    const auto is_free = [&](std::int64_t at) {
      return at >= 0 && at % b.align == 0 && at + bytes <= size &&
             std::none_of(all.begin(), all.end(),
                          [&](const Neighbour& n) { return at < n.end && n.begin < at + bytes && n.overlaid != at; });
    };
    for (const Neighbour& n : all)
      if (n.overlaid && is_free(*n.overlaid)) return static_cast<std::uint64_t>(*n.overlaid);
    std::sort(all.begin(), all.end(), [](const Neighbour& x, const Neighbour& y) { return x.begin < y.begin; });
    std::int64_t at = 0;
    for (const Neighbour& n : all)
      if (at < n.end && n.begin < at + bytes) at = (n.end + b.align - 1) / b.align * b.align;
    return is_free(at) ? std::optional(static_cast<std::uint64_t>(at)) : std::nullopt;
  }

  // True if it is too large beside a neighbour that it may not overlay.
  bool is_hopeless(std::uint32_t buffer, const std::vector<Overlay>& overlays) const {
    const std::vector<Neighbour> all = neighbours(buffer, overlays);
    const auto left = static_cast<std::int64_t>(size_ - problem_.buffers[buffer].bytes);
    return std::any_of(all.begin(), all.end(),
                       [&](const Neighbour& n) { return !n.overlaid && n.end - n.begin > left; });
  }

  const Problem& problem_;
  Parts& parts_;
  std::uint64_t size_;
  bool is_full_ = false;
  std::vector<std::uint32_t> buffers_;
  std::vector<std::uint64_t> offsets_;
};

// The overlays in which each buffer takes part.
std::vector<std::vector<Overlay>> overlays_of(const Problem& problem) {
  std::vector<std::vector<Overlay>> out(problem.buffers.size());
  for (const Overlay& o : problem.overlays) {
    if (!is_usable(problem, o)) continue;
    out[o.earlier].push_back(o);
    out[o.later].push_back(o);
  }
  return out;
}

std::uint32_t fallback(const Buffer& buffer) {
  const std::vector<std::uint32_t>& choices = buffer.choices;
  return std::find(choices.begin(), choices.end(), 0U) != choices.end() ? 0 : choices[0];
}

}  // namespace

void assign_pools(Problem& problem) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b) {
    Buffer& buffer = problem.buffers[b];
    if (buffer.choices.empty()) continue;
    buffer.pool = buffer.choices.size() == 1 ? buffer.choices[0] : kNoPool;
    if (buffer.choices.size() > 1) open.push_back(b);
  }
  if (open.empty()) return;
  std::stable_sort(open.begin(), open.end(), [&](std::uint32_t a, std::uint32_t b) {
    return problem.buffers[a].bytes > problem.buffers[b].bytes;
  });
  Parts parts(problem);
  const std::vector<std::vector<Overlay>> overlays = overlays_of(problem);
  const std::vector<std::vector<std::uint32_t>> there = by_pool(problem);
  // A pool that is only the last choice of buffers, as their fallback, is not asked for room.
  std::vector<bool> is_asked(problem.pools, false);
  for (const std::uint32_t b : open)
    for (const std::uint32_t& pool : problem.buffers[b].choices)
      if (&pool != &problem.buffers[b].choices.back() || pool != fallback(problem.buffers[b])) is_asked[pool] = true;
  std::vector<std::optional<Filling>> pools(problem.pools);
  const auto fits = [&](std::uint32_t pool, std::uint32_t b) {
    if (!is_asked[pool] || pool >= problem.sizes.size() || problem.sizes[pool] == 0) return true;
    if (!pools[pool]) pools[pool].emplace(problem, parts, problem.sizes[pool], there[pool]);
    return pools[pool]->take(b, overlays[b]);
  };
  for (const std::uint32_t b : open) {
    const std::vector<std::uint32_t>& choices = problem.buffers[b].choices;
    const auto found = std::find_if(choices.begin(), choices.end(), [&](std::uint32_t pool) { return fits(pool, b); });
    problem.buffers[b].pool = found != choices.end() ? *found : fallback(problem.buffers[b]);
    if (found == choices.end() && pools[problem.buffers[b].pool]) pools[problem.buffers[b].pool]->overfill();
  }
  problem.settled.assign(problem.buffers.size(), kUnsettled);
  for (std::uint32_t pool = 0; pool < problem.pools; ++pool)
    if (pools[pool]) pools[pool]->settle(problem.settled);
}

}  // namespace byoc::plan
