#include "sdk/model/evaluate/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "sdk/model/evaluate/element.hpp"

namespace byoc::evaluate {
namespace {

using codegen::Exactness;

// Elements that are compared as bytes: small ones have no C++ type, and nothing but an exact one of them is near;
// bools may have any bits.
bool are_bytes(DType t) { return t == DType::boolean || is_small(t); }

// The number of representable values of type T from a to b. The bits of floats are ordered once the sign is taken off.
template <class T>
double ulps_between(T a, T b) {
  using Bits =
      std::conditional_t<sizeof(T) == 8, std::int64_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int16_t>>;
  const auto order = [](T x) {
    Bits bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? -static_cast<double>(bits & std::numeric_limits<Bits>::max()) : static_cast<double>(bits);
  };
  return std::fabs(order(a) - order(b));
}

// Numbers so small have fewer digits than others of their type, and C libraries' functions make zero of them.
template <class T>
constexpr double kTiny = std::is_same_v<T, Float16>    ? 1e-7
                         : std::is_same_v<T, BFloat16> ? 1e-30
                         : std::is_same_v<T, double>   ? 1e-300
                                                       : 1e-37;

template <class T>
std::vector<T> elements_of(const Tensor& t) {
  std::vector<T> out(t.bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), t.bytes.data(), out.size() * sizeof(T));
  return out;
}

// The elements of one expectation, and which numbers are near enough to them.
template <class T>
class Expectation {
 public:
  Expectation(const Tensor& t, const Allowance& allowed, Agreement how)
      : elements(elements_of<T>(t)), allowed_(allowed), least_(how.strict ? 0 : 1) {
    if constexpr (kIsFloat<T>)
      for (const T x : elements)
        if (std::isfinite(widen(x))) largest_ = std::max(largest_, std::fabs(widen(x)));
  }

  [[nodiscard]] bool agrees(T found, std::size_t i) const {
    const T expected = elements[i];
    const double x = widen(found), y = widen(expected);
    if constexpr (!kIsFloat<T>) {
      // Compared as integers, because not all 64-bit integers are doubles.
      return found == expected || (allowed_.steps != 0 && std::fabs(x - y) <= allowed_.steps);
    } else {
      if (x == y || (std::isnan(x) && std::isnan(y))) return true;
      if (!std::isfinite(y)) return allowed_.not_finite;
      if (!std::isfinite(x)) return false;
      if (allowed_.ulps != 0 && ulps_between(found, expected) <= allowed_.ulps) return true;
      if (allowed_.relative == 0) return std::fabs(x - y) <= allowed_.absolute;
      const double relative = allowed_.relative * (std::max(least_, std::fabs(y)) + largest_ / 10);
      return std::fabs(x - y) <= allowed_.absolute + relative + kTiny<T>;
    }
  }

  std::vector<T> elements;

 private:
  const Allowance& allowed_;
  double least_;
  double largest_ = 0;
};

template <class T>
std::optional<Mismatch> first_mismatch(const Tensor& found, const Tensor& expected, const Allowance& allowed,
                                       Agreement how, const Tensor* other) {
  const std::vector<T> numbers = elements_of<T>(found);
  const Expectation<T> first(expected, allowed, how);
  const Expectation<T> second(other == nullptr ? Tensor{} : *other, allowed, how);
  Mismatch out;
  out.elements = first.elements.size();
  for (std::size_t i = 0; i < out.elements; ++i) {
    const bool is_there = i < numbers.size();
    if (is_there && (first.agrees(numbers[i], i) || (i < second.elements.size() && second.agrees(numbers[i], i))))
      continue;
    if (out.count++ != 0) continue;
    out.element = i;
    out.found = is_there ? widen(numbers[i]) : std::nan("");
    out.expected = widen(first.elements[i]);
  }
  if (out.count == 0) return std::nullopt;
  return out;
}

std::string number(double x, int precision = 6) {
  std::ostringstream out;
  out.precision(precision);
  out << x;
  return out.str();
}

}  // namespace

std::string to_string(Closeness c) {
  switch (c.exactness) {
    case Exactness::exact: break;
    case Exactness::lsb: return "within " + number(c.tolerance) + " LSB";
    case Exactness::ulp: return "within " + number(c.tolerance) + " ULP";
    case Exactness::relative: return "within " + number(c.tolerance) + " relative";
  }
  return "exact";
}

void Allowance::add(Closeness c) {
  switch (c.exactness) {
    case Exactness::exact: return;
    case Exactness::lsb: steps += c.tolerance; return;
    case Exactness::ulp: ulps += c.tolerance; break;
    case Exactness::relative: relative += c.tolerance; break;
  }
  not_finite = true;
}

void Allowance::add(const Allowance& a) {
  steps += a.steps;
  ulps += a.ulps;
  relative += a.relative;
  absolute += a.absolute;
  not_finite = not_finite || a.not_finite;
}

std::string to_string(const Allowance& a) {
  std::string out;
  const auto part = [&](double value, const char* unit) {
    if (value != 0) out += (out.empty() ? "within " : " and ") + number(value, 3) + unit;
  };
  part(a.steps, " LSB");
  part(a.ulps, " ULP");
  part(a.relative, " relative");
  part(a.absolute, "");
  return out.empty() ? "exactly" : out;
}

Allowance carried(const Allowance& from, const ir::TensorType& in, DType out) {
  if (is_float(in.dtype)) {
    if (is_float(out)) return from;
    return {.steps = from.ulps != 0 || from.relative != 0 || from.absolute != 0 ? 1.0 : 0.0};
  }
  if (!is_float(out)) return {.steps = from.steps};
  double scale = 1;
  if (in.quantisation && !in.quantisation->scales.empty())
    scale = *std::max_element(in.quantisation->scales.begin(), in.quantisation->scales.end());
  return {.absolute = from.steps * scale};
}

Agreement agreement_on(const TargetSpec& target) { return {target.has("mve.fp"), false}; }

std::string to_string(const Mismatch& m) {
  return "element " + std::to_string(m.element) + " of " + std::to_string(m.elements) + " is " + number(m.found, 9) +
         ", expected " + number(m.expected, 9);
}

std::optional<Mismatch> mismatch(const Tensor& found, const Tensor& expected, const Allowance& allowed, Agreement how,
                                 const Tensor* other) {
  if (are_bytes(expected.type.dtype)) return first_mismatch<std::uint8_t>(found, expected, {}, how, other);
  std::optional<Mismatch> out;
  (void)dispatch(expected.type.dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) out = first_mismatch<T>(found, expected, allowed, how, other);
  });
  return out;
}

}  // namespace byoc::evaluate
