// The randomness of a case: the same seed gives the same case.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace byoc::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // In [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % (static_cast<std::uint64_t>(high - low) + 1));
  }
  std::int32_t size(std::int32_t low, std::int32_t high) { return static_cast<std::int32_t>(between(low, high)); }
  bool chance(int percent) { return between(0, 99) < percent; }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[between(0, static_cast<std::int64_t>(choices.size()) - 1)];
  }
  double real(double low, double high) { return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53); }
  // Evenly distributed over the exponents between two positive bounds.
  float scale(double low, double high) { return static_cast<float>(low * std::pow(high / low, real(0, 1))); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace byoc::test
