// The format of weights that are a file of their own, version 1. docs/formats.md, "Weights", is its description.
//
// A file holds one blob or several, one behind the other: of several models, say. Numbers are little-endian.
//
//   header, kHeaderBytes | zeros up to the payload | payload: the constants | directory: JSON, for tools | spaces
//
// Code that runs looks at header and payload alone (sdk/program/executor/aot/templates/bind.c.in).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/sha256.hpp"

namespace byoc::weights {

inline constexpr std::string_view kMagic{"BYOCWTS\0", 8};
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kSignedBytes = 128;  // of the header, which the signature is over
inline constexpr std::size_t kSignatureBytes = 64;
inline constexpr std::size_t kHeaderBytes = kSignedBytes + kSignatureBytes;
inline constexpr std::uint32_t kSigned = 1;      // flag: there is a signature
inline constexpr std::uint32_t kEcdsaP256 = 2;   // flag: it is ECDSA over P-256 with SHA-256 (r, s), not Ed25519
inline constexpr std::uint32_t kBlobAlign = 64;  // sizes of blobs are multiples: what follows one is aligned as it is

// Places in the header, in bytes.
namespace at {
inline constexpr std::size_t kMagic = 0, kVersion = 8, kHeaderBytes = 10, kFlags = 12, kSequence = 16, kAlign = 20,
                             kBlobBytes = 24, kPayloadOffset = 32, kCrc32 = 36, kPayloadBytes = 40, kLayout = 48,
                             kModel = 64, kSha256 = 96, kSignature = 128;
}  // namespace at

using Signature = std::array<std::uint8_t, kSignatureBytes>;

struct Header {
  std::uint16_t version = kVersion;
  std::uint32_t flags = 0;
  std::uint32_t sequence = 0;        // of two that are valid, the higher one is newer
  std::uint32_t align = 1;           // that the first byte of the payload needs
  std::uint64_t blob_bytes = 0;      // with header, payload, directory and spaces
  std::uint32_t payload_offset = 0;  // from the first byte of the header
  std::uint32_t crc32 = 0;           // of the header's first 128 bytes with zeros in this place, then the payload
  std::uint64_t payload_bytes = 0;
  std::array<std::uint8_t, 16> layout{};
  Digest model{};   // SHA-256 of the model's file
  Digest sha256{};  // of the payload
  Signature signature{};

  [[nodiscard]] bool is_signed() const { return (flags & kSigned) != 0; }
};

// A constant, as the directory says.
struct Entry {
  std::string symbol;
  std::uint64_t offset = 0;  // from the first byte of the payload
  std::uint64_t bytes = 0;
  std::string type;  // of its elements: "i8"
};

// An input or output of the model, as the directory says.
struct End {
  std::string name;
  std::string type;  // of its elements: "i8"
  std::vector<float> scales = {};
  std::vector<std::int64_t> zero_points = {};
  bool operator==(const End&) const = default;
};

// "Ed25519", "ECDSA P-256", or "none".
[[nodiscard]] std::string signature_kind(std::uint32_t flags);
[[nodiscard]] std::array<std::byte, kHeaderBytes> encode(const Header&);
// Decodes kHeaderBytes bytes that begin with kMagic.
[[nodiscard]] Header decode(const std::byte* bytes);

}  // namespace byoc::weights
