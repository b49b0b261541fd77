#include "sdk/program/plan/occupied.hpp"

#include <algorithm>
#include <bit>

namespace byoc::plan {

Occupied::Occupied(std::uint32_t steps) : leaves_(std::bit_ceil(std::max(steps, 1u))), stretches_(2 * leaves_) {}

void Occupied::Ranges::add(Range r) {
  const auto from = std::lower_bound(all_.begin(), all_.end(), r.begin,
                                     [](const Range& a, std::int64_t begin) { return a.end < begin; });
  auto to = from;
  for (; to != all_.end() && to->begin <= r.end; ++to) {
    r.begin = std::min(r.begin, to->begin);
    r.end = std::max(r.end, to->end);
  }
  if (from == to) {
    all_.insert(from, r);
    return;
  }
  *from = r;
  all_.erase(from + 1, to);
}

std::optional<std::int64_t> Occupied::Ranges::in_the_way(const Range& r) const {
  const auto first = std::upper_bound(all_.begin(), all_.end(), r.begin,
                                      [](std::int64_t begin, const Range& a) { return begin < a.end; });
  if (first == all_.end() || first->begin >= r.end) return std::nullopt;
  return first->end;
}

// Calls partly(k) for stretches that the steps lie in or reach into, and wholly(k) for the largest within them.
template <class Partly, class Wholly>
void Occupied::visit(std::uint32_t first, std::uint32_t last, const Partly& partly, const Wholly& wholly) const {
  const auto descend = [&](const auto& self, std::uint32_t k, std::uint32_t begin, std::uint32_t size) -> bool {
    if (last < begin || begin + (size - 1) < first) return true;
    if (first <= begin && begin + (size - 1) <= last) return wholly(k);
    return partly(k) && self(self, 2 * k, begin, size / 2) && self(self, 2 * k + 1, begin + size / 2, size / 2);
  };
  descend(descend, 1, 0, leaves_);
}

void Occupied::add(std::uint32_t first, std::uint32_t last, std::int64_t begin, std::int64_t end) {
  const auto somewhere = [&](std::uint32_t k) {
    stretches_[k].somewhere.add({begin, end});
    return true;
  };
  visit(first, last, somewhere, [&](std::uint32_t k) {
    stretches_[k].throughout.add({begin, end});
    return somewhere(k);
  });
}

std::optional<std::int64_t> Occupied::in_the_way(std::uint32_t first, std::uint32_t last, std::int64_t begin,
                                                 std::int64_t end) const {
  std::optional<std::int64_t> found;
  const auto look = [&](const Ranges& ranges) {
    found = ranges.in_the_way({begin, end});
    return !found;
  };
  visit(
      first, last, [&](std::uint32_t k) { return look(stretches_[k].throughout); },
      [&](std::uint32_t k) { return look(stretches_[k].somewhere); });
  return found;
}

}  // namespace byoc::plan
