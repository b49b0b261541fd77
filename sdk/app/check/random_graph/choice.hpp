// Random choices that are the same everywhere: the distributions of the standard library differ between libraries.
#pragma once

#include <cstdint>
#include <vector>

namespace byoc::check {

class Choice {
 public:
  // The seed is scrambled: states that differ by a multiple of the step would give the same numbers, shifted.
  explicit Choice(std::uint64_t seed) : state_(seed) { state_ = bits(); }

  // SplitMix64.
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::int64_t integer(std::int64_t low, std::int64_t high) {  // both included
    return low + static_cast<std::int64_t>(bits() % (static_cast<std::uint64_t>(high - low) + 1));
  }
  float real(float low, float high) { return low + (high - low) * static_cast<float>(bits() >> 40) / (1 << 24); }
  bool one_in(int n) { return integer(1, n) == 1; }
  template <class T>
  const T& of(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(integer(0, static_cast<std::int64_t>(from.size()) - 1))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace byoc::check
