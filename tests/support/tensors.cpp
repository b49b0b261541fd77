#include "tests/support/tensors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "sdk/model/evaluate/element.hpp"

namespace byoc::test {
namespace {

template <class T>
std::vector<double> widened(std::span<const std::byte> bytes) {
  std::vector<double> out(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    out[i] = evaluate::widen(value);
  }
  return out;
}

std::string number(DType dtype, std::span<const std::byte> bytes, std::size_t i) {
  std::ostringstream out;
  out.precision(9);
  (void)evaluate::dispatch(dtype, [&]<class T>() {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    if constexpr (std::is_integral_v<T>)
      out << +value;
    else
      out << evaluate::widen(value);
  });
  return out.str();
}

std::string element_text(const evaluate::Tensor& found, const evaluate::Tensor& expected, std::size_t i) {
  const DType t = found.type.dtype;
  return "element " + std::to_string(i) + " of " + type_text(found.type) + " is " + number(t, found.bytes.bytes(), i) +
         ", expected " + number(t, expected.bytes.bytes(), i);
}

// Element by element, of tensors of one type.
std::vector<bool> agreeing(const evaluate::Tensor& found, const evaluate::Tensor& expected, Tolerance tolerance) {
  const std::span<const std::byte> f = found.bytes.bytes();
  const std::span<const std::byte> e = expected.bytes.bytes();
  const DType dtype = found.type.dtype;
  const std::size_t size = std::max(bit_width(dtype) / 8, 1u);
  std::vector<bool> out(f.size() / size);
  if (!evaluate::is_float(dtype)) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = std::ranges::equal(f.subspan(i * size, size), e.subspan(i * size, size));
    return out;
  }
  std::vector<double> a, b;
  (void)evaluate::dispatch(dtype, [&]<class T>() {
    a = widened<T>(f);
    b = widened<T>(e);
  });
  double largest = 0;
  for (const double x : b)
    if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double allowed =
        tolerance.absolute + tolerance.relative * std::fabs(b[i]) + tolerance.relative_to_max * largest;
    out[i] = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ||
             (std::isfinite(b[i]) && std::fabs(a[i] - b[i]) <= allowed);
  }
  return out;
}

}  // namespace

namespace {

std::string item_difference(const evaluate::Tensor& found, const evaluate::Tensor& expected, Tolerance tolerance) {
  if (found.items->size() != expected.items->size())
    return "holds " + std::to_string(found.items->size()) + ", expected " + std::to_string(expected.items->size());
  for (std::size_t i = 0; i < found.items->size(); ++i)
    if (const std::string text = difference((*found.items)[i], (*expected.items)[i], tolerance); !text.empty())
      return "item " + std::to_string(i) + " " + text;
  return "";
}

std::string text_difference(const std::vector<std::string>& found, const std::vector<std::string>& expected) {
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
    if (found[i] != expected[i])
      return "element " + std::to_string(i) + " is '" + found[i] + "', expected '" + expected[i] + "'";
  return found.size() == expected.size() ? "" : "has another number of strings";
}

}  // namespace

std::string difference(const evaluate::Tensor& found, const evaluate::Tensor& expected, Tolerance tolerance) {
  if (found.type.dtype == expected.type.dtype && found.type.container == expected.type.container &&
      !found.type.is_tensor())
    return item_difference(found, expected, tolerance);
  if (found.type.dtype != expected.type.dtype || found.type.dims != expected.type.dims)
    return "is " + type_text(found.type) + ", expected " + type_text(expected.type);
  if (found.texts && expected.texts) return text_difference(*found.texts, *expected.texts);
  const std::span<const std::byte> f = found.bytes.bytes();
  const std::span<const std::byte> e = expected.bytes.bytes();
  if (f.size() != e.size()) return std::to_string(f.size()) + " bytes, expected " + std::to_string(e.size());
  const std::vector<bool> agreed = agreeing(found, expected, tolerance);
  for (std::size_t i = 0; i < agreed.size(); ++i)
    if (!agreed[i]) return element_text(found, expected, i);
  return "";
}

std::string type_text(const ir::TensorType& type) {
  static const ir::Graph kNoSymbols;
  return ir::to_string(type, kNoSymbols);
}

std::string error_text(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all())
    if (d.level == Level::error) out += (out.empty() ? "" : "\n") + to_string(d);
  return out;
}

}  // namespace byoc::test
