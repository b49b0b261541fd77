// Cast to and from strings. A real number becomes the shortest decimal that reads back as it, written as NumPy writes
// it: with a point, and with an exponent below 0.0001 and from 1e16 on.
#include "sdk/model/evaluate/operators/cast_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "sdk/model/evaluate/ranks.hpp"
#include "sdk/model/evaluate/small_element.hpp"
#include "sdk/model/evaluate/value.hpp"

namespace byoc::evaluate {
namespace {

// True if the decimal text reads back as the element.
template <class T>
bool reads_back(const char* text, T value) {
  return widen(narrow<T>(std::strtod(text, nullptr))) == widen(value);
}

// "d.ddde[+-]xx" with as few digits as tell the element from others.
template <class T>
std::string shortest_scientific(T value) {
  char buffer[40];
  for (int digits = 0; digits < 17; ++digits) {
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer - 1, widen(value), std::chars_format::scientific, digits);
    *end.ptr = 0;
    if (reads_back(buffer, value)) break;
  }
  return buffer;
}

template <class T>
std::string real_text(T value) {
  const double number = widen(value);
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  const std::string scientific = shortest_scientific(value);
  const std::size_t e = scientific.find('e');
  const int exponent = std::atoi(scientific.c_str() + e + 1);
  if (number != 0 && (exponent < -4 || exponent >= 16)) return scientific;
  std::string digits;
  for (const char c : scientific.substr(0, e))
    if (c >= '0' && c <= '9') digits += c;
  std::string out = std::signbit(number) ? "-" : "";
  if (exponent < 0) return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < whole + 1) digits.resize(whole + 1, '0');
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

Outcome to_text(const Call& call) {
  const Tensor& x = call.in(0);
  if (is_text(x)) return single(x);
  std::vector<std::string> out;
  if (is_small(x.type.dtype)) {
    const bool real = element_row(x.type.dtype).kind == ElementKind::real;
    for (const unsigned c : codes(x)) {
      const double value = small_value(x.type.dtype, c);
      out.push_back(real ? real_text(static_cast<float>(value)) : std::to_string(static_cast<std::int64_t>(value)));
    }
  } else {
    (void)dispatch(x.type.dtype, [&]<class T>() {
      for (const T v : elements<T>(x)) {
        if constexpr (std::is_same_v<T, bool>)
          out.emplace_back(v ? "True" : "False");
        else if constexpr (kIsFloat<T>)
          out.push_back(real_text(v));
        else
          out.push_back(std::to_string(v));
      }
    });
  }
  return single(tensor_of(*x.type.dims, std::move(out)));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// The whole text as a number; INF and NaN in any case.
template <class N>
std::optional<N> parse(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  N value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    if constexpr (!std::is_floating_point_v<N>) return std::nullopt;
    // Too small or too large: nothing that is written so needs more than its sign and size.
    const std::string copy(text);
    return static_cast<N>(std::strtod(copy.c_str(), nullptr));
  }
  return value;
}

// An element of that type; whole numbers in any form that real ones have, without their fraction.
template <class T>
std::optional<T> element(std::string_view text) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "True" || text == "true") return true;
    if (text == "False" || text == "false") return false;
  } else if constexpr (std::is_integral_v<T>) {
    if (const auto whole = parse<T>(text)) return whole;
  } else if constexpr (std::is_same_v<T, float>) {
    return parse<float>(text);
  }
  const auto real = parse<double>(text);
  if (!real || (std::is_integral_v<T> && !std::isfinite(*real))) return std::nullopt;
  return narrow<T>(*real);
}

}  // namespace

Outcome cast_text(const Call& call, DType to) {
  if (to == DType::string) return to_text(call);
  const Tensor& x = call.in(0);
  Result<Buffer> y = call.allocate(to, *x.type.dims);
  if (!y) return failure;
  const std::string* wrong = nullptr;
  if (is_small(to)) {
    std::vector<unsigned> codes;
    for (std::size_t i = 0; i < x.texts->size() && wrong == nullptr; ++i) {
      const auto value = element<double>((*x.texts)[i]);
      if (value && small_float(to) != nullptr)
        codes.push_back(encode_small(*small_float(to), *value, {}));
      else if (value && std::isfinite(*value))
        codes.push_back(small_code(to, narrow<std::int32_t>(std::round(*value))));
      else
        wrong = &(*x.texts)[i];
    }
    if (wrong == nullptr) y->bytes = packed(to, codes);
  }
  (void)dispatch(to, [&]<class T>() {
    for (std::size_t i = 0; i < x.texts->size() && wrong == nullptr; ++i) {
      if (const auto value = element<T>((*x.texts)[i]))
        y->as<T>()[i] = *value;
      else
        wrong = &(*x.texts)[i];
    }
  });
  if (wrong != nullptr) return call.error("a string is no number", "'" + *wrong + "'", std::string(to_string(to)));
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
