// Numbers and arrays of bytes in blocks of bytes, little-endian.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace byoc {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

template <class T>
[[nodiscard]] T get_number(std::span<const std::byte> bytes, std::size_t at = 0) {
  T out;
  std::memcpy(&out, bytes.subspan(at, sizeof out).data(), sizeof out);
  return out;
}

template <class T>
void put_number(std::span<std::byte> bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.subspan(at, sizeof value).data(), &value, sizeof value);
}

template <class T>
void add_number(std::vector<std::byte>& out, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace byoc
