// A delta of weights, version 1: what differs, in place. Its sums are of whole files, so that neither a wrong file nor
// a half applied delta passes.
//
//   frame (32, sdk/base/support/frame.hpp) | records (4) | bytes before (4) | bytes after (4) | 0 (4)
//   SHA-256 before (32) | SHA-256 after (32)
//   records: offset (4) | length (4) | bytes
#include <algorithm>
#include <cstring>
#include <limits>

#include "sdk/base/support/frame.hpp"
#include "sdk/base/support/little_endian.hpp"
#include "sdk/base/support/sha256.hpp"
#include "sdk/library/weights/difference.hpp"

namespace byoc::weights {
namespace {

constexpr FrameFormat kDeltaFormat{"delta of weights", std::string_view("BYOCWTD\0", 8)};
constexpr std::size_t kDeltaHeader = kFrameHeadBytes + 80, kRecordHeader = 8;
namespace delta_at {
constexpr std::size_t kRecords = kFrameHeadBytes, kBytesBefore = kRecords + 4, kBytesAfter = kRecords + 8,
                      kShaBefore = kRecords + 16, kShaAfter = kRecords + 48;
}  // namespace delta_at

void put32(std::vector<std::byte>& out, std::size_t n) { add_number(out, static_cast<std::uint32_t>(n)); }

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
  std::vector<std::byte> out(kFrameHeadBytes);
  for (const std::size_t n : {records.size(), before.size(), after.size(), std::size_t{0}}) put32(out, n);
  for (const Digest& d : {sha256(before), sha256(after)}) append(out, std::as_bytes(std::span(d)));
  for (const auto& [begin, end] : records) {
    put32(out, begin);
    put32(out, end - begin);
    append(out, after.subspan(begin, end - begin));
  }
  finish_frame(out, kDeltaFormat);
  return out;
}

Result<std::vector<std::byte>> apply_delta(std::span<const std::byte> before, std::span<const std::byte> delta,
                                           const std::string& name, Diagnostics& diags) {
  if (!read_frame_head(delta, kDeltaFormat))
    return diags.error(name, {}, "is no delta of weights", {}, "what byoc diff -o wrote");
  if (!open_frame(delta, kDeltaFormat, FrameEnd::of_block, name, diags)) return failure;
  const auto damaged = [&] { return diags.error(name, {}, "is a damaged delta"); };
  if (delta.size() < kDeltaHeader) return damaged();
  const Digest was = sha256(before);
  if (get_number<std::uint32_t>(delta, delta_at::kBytesBefore) != before.size() ||
      std::memcmp(&delta[delta_at::kShaBefore], was.data(), was.size()) != 0)
    return diags.error(name, {}, "is a delta of another file than the one it is applied to");
  // Bytes behind the old file's end are in records.
  const std::size_t size_after = get_number<std::uint32_t>(delta, delta_at::kBytesAfter);
  if (size_after > before.size() + delta.size()) return damaged();
  std::vector<std::byte> out(before.begin(), before.end());
  out.resize(size_after);
  std::size_t at = kDeltaHeader;
  for (std::uint32_t n = get_number<std::uint32_t>(delta, delta_at::kRecords); n > 0; --n) {
    if (delta.size() - at < kRecordHeader) return damaged();
    const std::size_t offset = get_number<std::uint32_t>(delta, at), length = get_number<std::uint32_t>(delta, at + 4);
    at += kRecordHeader;
    if (length > delta.size() - at || offset > out.size() || length > out.size() - offset) return damaged();
    std::ranges::copy(delta.subspan(at, length), out.begin() + static_cast<std::ptrdiff_t>(offset));
    at += length;
  }
  const Digest now = sha256(out);
  if (std::memcmp(&delta[delta_at::kShaAfter], now.data(), now.size()) != 0) return damaged();
  return out;
}

}  // namespace byoc::weights
