#include "sdk/base/support/nearest.hpp"

#include <algorithm>
#include <vector>

namespace byoc {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours that make `b` of `a`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> words) {
  constexpr std::size_t kMost = 2;
  std::size_t least = std::min(kMost, word.size() / 3) + 1;
  std::string out;
  for (const std::string& w : words) {
    if (w.size() > word.size() + kMost || word.size() > w.size() + kMost) continue;
    const std::size_t d = distance(word, w);
    if (d >= least) continue;
    least = d;
    out = w;
  }
  return out;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> words) {
  const std::string meant = nearest(word, words);
  return meant.empty() ? std::string() : "; did you mean " + meant + "?";
}

}  // namespace byoc
