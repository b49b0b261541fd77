#include "sdk/model/ir/texts.hpp"

#include <cassert>
#include <cstdint>

namespace byoc::ir {
namespace {

constexpr std::size_t kLength = 4;

}  // namespace

Blob pack_texts(std::span<const std::string> texts) {
  std::vector<std::byte> out;
  for (const std::string& text : texts) {
    assert(text.size() <= UINT32_MAX);
    for (std::size_t i = 0; i < kLength; ++i) out.push_back(static_cast<std::byte>(text.size() >> (8 * i)));
    for (const char c : text) out.push_back(static_cast<std::byte>(c));
  }
  return Blob::own(std::move(out));
}

std::optional<std::vector<std::string>> unpack_texts(std::span<const std::byte> bytes, std::uint64_t count) {
  if (count > bytes.size() / kLength) return std::nullopt;
  std::vector<std::string> out;
  out.reserve(count);
  for (std::uint64_t n = 0; n < count; ++n) {
    if (bytes.size() < kLength) return std::nullopt;
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < kLength; ++i) length |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
    bytes = bytes.subspan(kLength);
    if (length > bytes.size()) return std::nullopt;
    out.emplace_back(reinterpret_cast<const char*>(bytes.data()), length);
    bytes = bytes.subspan(length);
  }
  if (!bytes.empty()) return std::nullopt;
  return out;
}

}  // namespace byoc::ir
