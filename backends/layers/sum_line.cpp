#include "backends/layers/sum_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace byoc::layers {
namespace {

using Offset = std::int64_t;

constexpr Offset kWord = Offset{1} << 32;

bool is_word(std::int64_t x) {
  return x >= std::numeric_limits<std::int32_t>::min() && x <= std::numeric_limits<std::int32_t>::max();
}

// floor(a / 2^32)
Offset high_word(Offset a) { return a >> 32; }

// The first sum whose result is at least v; high + 1: there is none. Searched around where a line has it.
std::int64_t first_sum(const SumSteps& s, std::int32_t v) {
  const double guess =
      std::clamp((v - s.zero - 0.5) / s.scale, static_cast<double>(s.low), static_cast<double>(s.high));
  const auto near = static_cast<std::int64_t>(guess);
  std::int64_t below = s.low - 1, at = s.high + 1;  // results below v, and not
  const auto look = [&](std::int64_t sum) {
    if (sum <= below || sum >= at) return;
    (s.result(static_cast<std::int32_t>(sum)) < v ? below : at) = sum;
  };
  look(near - 3);
  look(near + 3);
  while (at - below > 1) look(below + (at - below) / 2);
  return at;
}

// The first sum of each result v in (least, most].
std::vector<std::int64_t> first_sums(const SumSteps& s) {
  std::vector<std::int64_t> out;
  for (std::int32_t v = s.least + 1; v <= s.most; ++v) out.push_back(first_sum(s, v));
  return out;
}

struct Offsets {
  Offset least = std::numeric_limits<Offset>::min() / 2, end = std::numeric_limits<Offset>::max() / 2;
};

// The offsets with which the line has its steps at the sums' steps.
Offsets agreeing(const SumSteps& s, std::span<const std::int64_t> firsts, std::int64_t scale, int shift) {
  Offsets o;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const Offset step = (Offset{s.least} + 1 + static_cast<Offset>(i)) * (kWord << shift);
    if (firsts[i] <= s.high) o.least = std::max(o.least, step - scale * firsts[i]);
    if (firsts[i] > s.low) o.end = std::min(o.end, step - scale * (firsts[i] - 1));
  }
  return o;
}

// A line with this multiplier and one of these offsets.
std::optional<SumLine> with_scale(const SumSteps& s, const Offsets& wanted, std::int64_t scale) {
  // Anything within them will do; far from both, zero may.
  const Offset least = std::max(wanted.least, std::min<Offset>(wanted.end, 0) - 2 * kWord);
  for (std::int32_t i = 0; i <= 2 * kMostAdded; ++i) {
    const std::int32_t add = i % 2 == 0 ? i / 2 : -(i / 2 + 1);
    const Offset of_sum = add * scale, start = high_word(least - of_sum + kWord - 1);
    if (start * kWord + of_sum >= wanted.end) continue;
    const std::int64_t low = s.low + add, high = s.high + add;
    if (!is_word(start) || !is_word(low) || !is_word(high) || !is_word(high_word(low * scale) + start) ||
        !is_word(high_word(high * scale) + start))
      continue;
    return SumLine{add, static_cast<std::int32_t>(scale), static_cast<std::int32_t>(start)};
  }
  return std::nullopt;
}

}  // namespace

int line_shift(double scale) {
  int shift = 20;
  while (shift >= 0 && std::round(std::ldexp(scale, 32 + shift)) > std::numeric_limits<std::int32_t>::max()) --shift;
  return shift;
}

std::optional<SumLine> fit_line(const SumSteps& s, int shift) {
  if (shift < 0 || shift > line_shift(s.scale) || s.low > s.high || !is_word(s.low) || !is_word(s.high))
    return std::nullopt;
  const auto nearest = static_cast<std::int64_t>(std::round(std::ldexp(s.scale, 32 + shift)));
  const std::vector<std::int64_t> firsts = first_sums(s);
  for (const int away : {0, 1, -1, 2, -2, 3, -3, 4, -4, 6, -6, 8, -8}) {
    const std::int64_t scale = nearest + away;
    if (scale < 0 || !is_word(scale)) continue;
    const Offsets wanted = agreeing(s, firsts, scale, shift);
    if (wanted.least >= wanted.end) continue;
    if (const auto line = with_scale(s, wanted, scale)) return line;
  }
  return std::nullopt;
}

}  // namespace byoc::layers
