// A delta of weights, version 1: what differs, in place. Its sums are of whole files, so that neither a wrong file nor
// a half applied delta passes.
//
//   magic (8) | version, 0 (2, 2) | records (4) | bytes before (4) | bytes after (4) | SHA-256 before (32), after (32)
//   records: offset (4) | length (4) | bytes
//   CRC-32 of all that (4)
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "sdk/library/object/file_hash.hpp"
#include "sdk/library/weights/difference.hpp"

namespace byoc::weights {
namespace {

constexpr std::string_view kDeltaMagic{"BYOCWTD\0", 8};
constexpr std::uint16_t kDeltaVersion = 1;
constexpr std::size_t kDeltaHeader = 88, kRecordHeader = 8;

void put32(std::vector<std::byte>& out, std::size_t n) {
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::byte>(n >> (8 * i)));
}

std::uint32_t get32(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 4; i-- > 0;) out = out << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return out;
}

std::uint32_t crc_of_delta(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

Digest digest_of(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// The ranges in which the files differ. Equal bytes are included if they are fewer than a record takes.
std::vector<std::pair<std::size_t, std::size_t>> differences(std::span<const std::byte> before,
                                                             std::span<const std::byte> after) {
  std::vector<std::pair<std::size_t, std::size_t>> out;  // [begin, end)
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (i < before.size() && before[i] == after[i]) continue;
    if (!out.empty() && i - out.back().second <= kRecordHeader)
      out.back().second = i + 1;
    else
      out.emplace_back(i, i + 1);
  }
  return out;
}

}  // namespace

Result<std::vector<std::byte>> make_delta(std::span<const std::byte> before, std::span<const std::byte> after,
                                          const std::string& name, Diagnostics& diags) {
  if (std::max(before.size(), after.size()) > std::numeric_limits<std::uint32_t>::max())
    return diags.error(name, {}, "is too large for a delta", std::to_string(std::max(before.size(), after.size())),
                       "less than 4 GiB");
  const auto records = differences(before, after);
  std::vector<std::byte> out;
  append(out, std::as_bytes(std::span(kDeltaMagic)));
  put32(out, kDeltaVersion);
  put32(out, records.size());
  put32(out, before.size());
  put32(out, after.size());
  for (const Digest& d : {digest_of(before), digest_of(after)}) append(out, std::as_bytes(std::span(d)));
  for (const auto& [begin, end] : records) {
    put32(out, begin);
    put32(out, end - begin);
    append(out, after.subspan(begin, end - begin));
  }
  put32(out, crc_of_delta(out));
  return out;
}

Result<std::vector<std::byte>> apply_delta(std::span<const std::byte> before, std::span<const std::byte> delta,
                                           const std::string& name, Diagnostics& diags) {
  if (delta.size() < kDeltaHeader + 4 || std::memcmp(delta.data(), kDeltaMagic.data(), kDeltaMagic.size()) != 0)
    return diags.error(name, {}, "is no delta of weights", {}, "what byoc diff -o wrote");
  if (get32(delta, 8) != kDeltaVersion)
    return diags.error(name, {}, "is a delta of another version", std::to_string(get32(delta, 8)),
                       std::to_string(kDeltaVersion));
  const auto damaged = [&] { return diags.error(name, {}, "is a damaged delta"); };
  const auto body = delta.first(delta.size() - 4);
  if (crc_of_delta(body) != get32(delta, body.size())) return damaged();
  const Digest was = digest_of(before);
  if (get32(delta, 16) != before.size() || std::memcmp(&delta[24], was.data(), was.size()) != 0)
    return diags.error(name, {}, "is a delta of another file than the one it is applied to");
  // Bytes behind the old file's end are in records.
  if (get32(delta, 20) > before.size() + body.size()) return damaged();
  std::vector<std::byte> out(before.begin(), before.end());
  out.resize(get32(delta, 20));
  std::size_t at = kDeltaHeader;
  for (std::uint32_t n = get32(delta, 12); n > 0; --n) {
    if (body.size() - at < kRecordHeader) return damaged();
    const std::size_t offset = get32(delta, at), length = get32(delta, at + 4);
    at += kRecordHeader;
    if (length > body.size() - at || offset > out.size() || length > out.size() - offset) return damaged();
    std::ranges::copy(body.subspan(at, length), out.begin() + static_cast<std::ptrdiff_t>(offset));
    at += length;
  }
  const Digest now = digest_of(out);
  if (std::memcmp(&delta[56], now.data(), now.size()) != 0) return damaged();
  return out;
}

}  // namespace byoc::weights
