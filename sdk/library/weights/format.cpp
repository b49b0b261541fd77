#include "sdk/library/weights/format.hpp"

#include <algorithm>
#include <cstring>

namespace byoc::weights {
namespace {

template <class T>
void put(std::byte* to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

template <class T>
T get(const std::byte* from) {
  T out = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) out = static_cast<T>((out << 8) | std::to_integer<T>(from[i]));
  return out;
}

}  // namespace

std::array<std::byte, kHeaderBytes> encode(const Header& h) {
  std::array<std::byte, kHeaderBytes> out{};
  std::memcpy(&out[at::kMagic], kMagic.data(), kMagic.size());
  put(&out[at::kVersion], h.version);
  put(&out[at::kHeaderBytes], static_cast<std::uint16_t>(kHeaderBytes));
  put(&out[at::kFlags], h.flags);
  put(&out[at::kSequence], h.sequence);
  put(&out[at::kAlign], h.align);
  put(&out[at::kBlobBytes], h.blob_bytes);
  put(&out[at::kPayloadOffset], h.payload_offset);
  put(&out[at::kCrc32], h.crc32);
  put(&out[at::kPayloadBytes], h.payload_bytes);
  std::memcpy(&out[at::kLayout], h.layout.data(), h.layout.size());
  std::memcpy(&out[at::kModel], h.model.data(), h.model.size());
  std::memcpy(&out[at::kSha256], h.sha256.data(), h.sha256.size());
  std::memcpy(&out[at::kSignature], h.signature.data(), h.signature.size());
  return out;
}

Header decode(const std::byte* bytes) {
  Header h;
  h.version = get<std::uint16_t>(bytes + at::kVersion);
  h.flags = get<std::uint32_t>(bytes + at::kFlags);
  h.sequence = get<std::uint32_t>(bytes + at::kSequence);
  h.align = get<std::uint32_t>(bytes + at::kAlign);
  h.blob_bytes = get<std::uint64_t>(bytes + at::kBlobBytes);
  h.payload_offset = get<std::uint32_t>(bytes + at::kPayloadOffset);
  h.crc32 = get<std::uint32_t>(bytes + at::kCrc32);
  h.payload_bytes = get<std::uint64_t>(bytes + at::kPayloadBytes);
  std::memcpy(h.layout.data(), bytes + at::kLayout, h.layout.size());
  std::memcpy(h.model.data(), bytes + at::kModel, h.model.size());
  std::memcpy(h.sha256.data(), bytes + at::kSha256, h.sha256.size());
  std::memcpy(h.signature.data(), bytes + at::kSignature, h.signature.size());
  return h;
}

}  // namespace byoc::weights
