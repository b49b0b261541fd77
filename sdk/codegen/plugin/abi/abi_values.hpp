// Reading and making the structs of the plug-in ABI.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/abi/abi.h"

namespace byoc::plugin {

// Larger structs than this are garbage, not a version of the future.
inline constexpr std::uint32_t kLargestStruct = 65536;
// Longer texts and lists are garbage too.
inline constexpr std::uint64_t kLongestText = 1u << 20;
inline constexpr std::uint32_t kLongestList = 1u << 24;

// A struct of the other side as ours: what it does not know is zero, what we do not know is dropped.
// False if struct_size cannot be true.
template <class T>
[[nodiscard]] bool read_struct(const T* from, T& to) {
  to = T{};
  if (from == nullptr || from->struct_size < sizeof(std::uint32_t) || from->struct_size > kLargestStruct) return false;
  std::memcpy(&to, from, std::min<std::size_t>(from->struct_size, sizeof(T)));
  return true;
}

template <class T>
[[nodiscard]] T make_struct() {
  T out{};
  out.struct_size = sizeof(T);
  return out;
}

[[nodiscard]] inline byoc_string_t to_abi(std::string_view s) { return {s.data(), s.size()}; }

[[nodiscard]] inline bool is_sane(const byoc_string_t& s) {
  return s.size <= kLongestText && (s.size == 0 || s.data != nullptr);
}

// "" for a string that is not sane.
[[nodiscard]] inline std::string to_text(const byoc_string_t& s) {
  return s.size == 0 || !is_sane(s) ? std::string() : std::string(s.data, static_cast<std::size_t>(s.size));
}

[[nodiscard]] inline std::vector<byoc_string_t> to_abi(std::span<const std::string> texts) {
  std::vector<byoc_string_t> out;
  for (const std::string& t : texts) out.push_back(to_abi(std::string_view(t)));
  return out;
}

[[nodiscard]] inline std::vector<std::string> to_texts(const byoc_string_t* strings, std::uint32_t count) {
  std::vector<std::string> out;
  if (strings == nullptr || count > kLongestList) return out;
  for (std::uint32_t i = 0; i < count; ++i) out.push_back(to_text(strings[i]));
  return out;
}

template <class T>
[[nodiscard]] std::uint32_t size32(const T& list) {
  return static_cast<std::uint32_t>(list.size());
}

}  // namespace byoc::plugin
