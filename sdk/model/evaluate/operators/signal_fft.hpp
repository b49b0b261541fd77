// Discrete Fourier transforms in the arithmetic of byoc.SignalRfft and byoc.SignalIrfft: decimation in time with
// radices 4, 2, 3, 5 and whatever prime is left. T: int16_t, int32_t or float. Integers are divided by the radix before
// each stage, so that a transform is 1 / n of the sum; each product is rounded to 15 or 31 bits, sums wrap around.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

namespace byoc::evaluate {

template <class T>
struct FftNumber {
  T re{}, im{};
};

template <class T>
class FftArithmetic {
 public:
  using Number = FftNumber<T>;
  static constexpr bool kFixed = !std::is_same_v<T, float>;

  static T add(T a, T b) { return wrap(wide(a) + wide(b)); }
  static T subtract(T a, T b) { return wrap(wide(a) - wide(b)); }
  static Number add(Number a, Number b) { return {add(a.re, b.re), add(a.im, b.im)}; }
  static Number subtract(Number a, Number b) { return {subtract(a.re, b.re), subtract(a.im, b.im)}; }
  static T multiply(T a, T b) { return rounded(wide(a) * wide(b)); }
  static Number multiply(Number a, Number b) {
    return {rounded(wide(a.re) * wide(b.re) - wide(a.im) * wide(b.im)),
            rounded(wide(a.re) * wide(b.im) + wide(a.im) * wide(b.re))};
  }
  static Number conjugate(Number a) { return {a.re, subtract(T{}, a.im)}; }
  // Division as a product with 1 / by.
  static Number divide(Number a, int by) {
    if constexpr (kFixed) {
      const T part = static_cast<T>(std::numeric_limits<T>::max() / by);
      return {multiply(a.re, part), multiply(a.im, part)};
    }
    return a;
  }
  // Half of a sum: that of 16 bits is exact, that of 32 wraps around first.
  static T half_of_sum(T a, T b) {
    if constexpr (!kFixed)
      return (a + b) * 0.5F;
    else if constexpr (sizeof(T) == 2)
      return static_cast<T>((a + b) >> 1);
    else
      return static_cast<T>(add(a, b) >> 1);
  }
  // e^(i angle).
  static Number turn(double angle) {
    if constexpr (kFixed) {
      constexpr double kOne = std::numeric_limits<T>::max();
      return {static_cast<T>(std::floor(0.5 + kOne * std::cos(angle))),
              static_cast<T>(std::floor(0.5 + kOne * std::sin(angle)))};
    }
    return {static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
  }

 private:
  static auto wide(T a) {
    if constexpr (kFixed)
      return std::int64_t{a};
    else
      return a;
  }
  template <class W>
  static T wrap(W sum) {
    return static_cast<T>(sum);
  }
  template <class W>
  static T rounded(W product) {
    if constexpr (kFixed) {
      constexpr int kBits = static_cast<int>(8 * sizeof(T)) - 1;
      return static_cast<T>((product + (W{1} << (kBits - 1))) >> kBits);
    }
    return static_cast<T>(product);
  }
};

// The radices of a length, first to last.
[[nodiscard]] std::vector<int> fft_radices(int length);

template <class T>
class Fft {
 public:
  using A = FftArithmetic<T>;
  using Number = FftNumber<T>;

  Fft(int length, bool inverse) : length_(length), inverse_(inverse), radices_(fft_radices(length)) {
    for (int i = 0; i < length; ++i) {
      const double angle = -2 * std::numbers::pi * i / length;
      turns_.push_back(A::turn(inverse ? -angle : angle));
    }
  }

  [[nodiscard]] std::vector<Number> operator()(const std::vector<Number>& x) const { return stage(x, 0, 1); }

 private:
  // The transform of x, which is every `stride`th of all numbers: those of its radix's parts, joined.
  [[nodiscard]] std::vector<Number> stage(const std::vector<Number>& x, std::size_t level, int stride) const {
    if (level == radices_.size()) return x;
    const int radix = radices_[level], part = static_cast<int>(x.size()) / radix;
    std::vector<std::vector<Number>> parts;
    for (int q = 0; q < radix; ++q) {
      std::vector<Number> every;
      for (int i = 0; i < part; ++i) every.push_back(x[static_cast<std::size_t>(i * radix + q)]);
      parts.push_back(stage(every, level + 1, stride * radix));
    }
    std::vector<Number> out(x.size());
    for (int k = 0; k < part; ++k) {
      std::vector<Number> given;
      for (const auto& p : parts) given.push_back(A::divide(p[static_cast<std::size_t>(k)], radix));
      const std::vector<Number> made = joined(given, k, part, stride);
      for (int q = 0; q < radix; ++q) out[static_cast<std::size_t>(q * part + k)] = made[static_cast<std::size_t>(q)];
    }
    return out;
  }

  [[nodiscard]] Number turn(int i) const { return turns_[static_cast<std::size_t>(i)]; }

  // Numbers k, k + part ... of a stage.
  [[nodiscard]] std::vector<Number> joined(const std::vector<Number>& x, int k, int part, int stride) const {
    if (x.size() != 2 && x.size() != 3 && x.size() != 4 && x.size() != 5) return any(x, k, part, stride);
    std::vector<Number> t{x[0]};
    for (int q = 1; q < static_cast<int>(x.size()); ++q)
      t.push_back(A::multiply(x[static_cast<std::size_t>(q)], turn(q * k * stride)));
    switch (x.size()) {
      case 2: return {A::add(t[0], t[1]), A::subtract(t[0], t[1])};
      case 3: return three(t, turn(stride * part));
      case 4: return four(t);
      default: return five(t, turn(stride * part), turn(2 * stride * part));
    }
  }

  [[nodiscard]] std::vector<Number> three(const std::vector<Number>& t, Number third) const {
    const Number sum = A::add(t[1], t[2]), apart = A::subtract(t[1], t[2]);
    const Number side = {A::multiply(apart.re, third.im), A::multiply(apart.im, third.im)};
    const Number middle = {A::subtract(t[0].re, A::half_of_sum(sum.re, T{})),
                           A::subtract(t[0].im, A::half_of_sum(sum.im, T{}))};
    return {A::add(t[0], sum),
            {A::subtract(middle.re, side.im), A::add(middle.im, side.re)},
            {A::add(middle.re, side.im), A::subtract(middle.im, side.re)}};
  }

  [[nodiscard]] std::vector<Number> four(const std::vector<Number>& t) const {
    const Number even = A::add(t[0], t[2]), odd = A::subtract(t[0], t[2]);
    const Number sum = A::add(t[1], t[3]), apart = A::subtract(t[1], t[3]);
    const Number down = {A::add(odd.re, apart.im), A::subtract(odd.im, apart.re)};
    const Number up = {A::subtract(odd.re, apart.im), A::add(odd.im, apart.re)};
    return {A::add(even, sum), inverse_ ? up : down, A::subtract(even, sum), inverse_ ? down : up};
  }

  [[nodiscard]] std::vector<Number> five(const std::vector<Number>& t, Number a, Number b) const {
    const Number outer = A::add(t[1], t[4]), inner = A::add(t[2], t[3]);
    const Number outer_apart = A::subtract(t[1], t[4]), inner_apart = A::subtract(t[2], t[3]);
    const auto along = [&](T first, T second) -> Number {
      return {A::add(A::add(t[0].re, A::multiply(outer.re, first)), A::multiply(inner.re, second)),
              A::add(A::add(t[0].im, A::multiply(outer.im, first)), A::multiply(inner.im, second))};
    };
    const Number near = along(a.re, b.re), far = along(b.re, a.re);
    const Number near_side = {
        A::add(A::multiply(outer_apart.im, a.im), A::multiply(inner_apart.im, b.im)),
        A::subtract(A::subtract(T{}, A::multiply(outer_apart.re, a.im)), A::multiply(inner_apart.re, b.im))};
    const Number far_side = {A::subtract(A::multiply(inner_apart.im, a.im), A::multiply(outer_apart.im, b.im)),
                             A::subtract(A::multiply(outer_apart.re, b.im), A::multiply(inner_apart.re, a.im))};
    return {A::add(t[0], A::add(outer, inner)), A::subtract(near, near_side), A::add(far, far_side),
            A::subtract(far, far_side), A::add(near, near_side)};
  }

  [[nodiscard]] std::vector<Number> any(const std::vector<Number>& x, int k, int part, int stride) const {
    std::vector<Number> out;
    for (std::size_t q = 0; q < x.size(); ++q) {
      Number sum = x[0];
      int at = 0;
      for (std::size_t i = 1; i < x.size(); ++i) {
        at = (at + stride * (k + static_cast<int>(q) * part)) % length_;
        sum = A::add(sum, A::multiply(x[i], turn(at)));
      }
      out.push_back(sum);
    }
    return out;
  }

  int length_;
  bool inverse_;
  std::vector<int> radices_;
  std::vector<Number> turns_;
};

// The turn that joins bins k and n - k of a real transform of 2 n numbers: -i e^(-i pi k / n), or its conjugate.
template <class T>
FftNumber<T> half_turn(int k, int n, bool inverse) {
  const double angle = -std::numbers::pi * (static_cast<double>(k) / n + 0.5);
  return FftArithmetic<T>::turn(inverse ? -angle : angle);
}

// Longer transforms are not read: their tables would be larger than what they are for.
inline constexpr std::int64_t kLongestFft = 65536;

}  // namespace byoc::evaluate
