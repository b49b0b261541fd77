#include "sdk/library/weights/format.hpp"

#include <cstring>

#include "sdk/base/support/little_endian.hpp"

namespace byoc::weights {

std::string signature_kind(std::uint32_t flags) {
  if ((flags & kSigned) == 0) return "none";
  return (flags & kEcdsaP256) != 0 ? "ECDSA P-256" : "Ed25519";
}

std::array<std::byte, kHeaderBytes> encode(const Header& h) {
  std::array<std::byte, kHeaderBytes> out{};
  std::memcpy(&out[at::kMagic], kMagic.data(), kMagic.size());
  put_number(out, at::kVersion, h.version);
  put_number(out, at::kHeaderBytes, static_cast<std::uint16_t>(kHeaderBytes));
  put_number(out, at::kFlags, h.flags);
  put_number(out, at::kSequence, h.sequence);
  put_number(out, at::kAlign, h.align);
  put_number(out, at::kBlobBytes, h.blob_bytes);
  put_number(out, at::kPayloadOffset, h.payload_offset);
  put_number(out, at::kCrc32, h.crc32);
  put_number(out, at::kPayloadBytes, h.payload_bytes);
  put_number(out, at::kLayout, h.layout);
  put_number(out, at::kModel, h.model);
  put_number(out, at::kSha256, h.sha256);
  put_number(out, at::kSignature, h.signature);
  return out;
}

Header decode(const std::byte* bytes) {
  const std::span header(bytes, kHeaderBytes);
  Header h;
  h.version = get_number<std::uint16_t>(header, at::kVersion);
  h.flags = get_number<std::uint32_t>(header, at::kFlags);
  h.sequence = get_number<std::uint32_t>(header, at::kSequence);
  h.align = get_number<std::uint32_t>(header, at::kAlign);
  h.blob_bytes = get_number<std::uint64_t>(header, at::kBlobBytes);
  h.payload_offset = get_number<std::uint32_t>(header, at::kPayloadOffset);
  h.crc32 = get_number<std::uint32_t>(header, at::kCrc32);
  h.payload_bytes = get_number<std::uint64_t>(header, at::kPayloadBytes);
  h.layout = get_number<decltype(h.layout)>(header, at::kLayout);
  h.model = get_number<decltype(h.model)>(header, at::kModel);
  h.sha256 = get_number<decltype(h.sha256)>(header, at::kSha256);
  h.signature = get_number<decltype(h.signature)>(header, at::kSignature);
  return h;
}

}  // namespace byoc::weights
