#include "sdk/library/weights/intel_hex.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace byoc::weights {
namespace {

constexpr std::size_t kRecord = 16;
constexpr std::uint64_t kPage = 0x10000;
constexpr std::uint64_t kParagraph = 16;                        // of segments
constexpr std::uint64_t kLargestGap = std::uint64_t{16} << 20;  // of all of a file together

enum Type : std::uint8_t {
  kData = 0,
  kEnd = 1,
  kSegmentAddress = 2,
  kSegmentStart = 3,
  kLinearAddress = 4,
  kLinearStart = 5
};

std::string record_of(Type type, std::uint16_t address, std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out = ":";
  unsigned sum = 0;
  const auto put = [&](unsigned byte) {
    out += kDigits[byte >> 4 & 15];
    out += kDigits[byte & 15];
    sum += byte;
  };
  put(static_cast<unsigned>(bytes.size()));
  put(address >> 8U);
  put(address & 0xffU);
  put(type);
  for (const std::byte b : bytes) put(std::to_integer<unsigned>(b));
  put((0x100 - (sum & 0xff)) & 0xff);
  return out + "\n";
}

std::optional<std::vector<std::uint8_t>> bytes_of_line(std::string_view line) {
  if (line.size() < 11 || line[0] != ':' || line.size() % 2 != 1) return std::nullopt;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
  };
  std::vector<std::uint8_t> out;
  unsigned sum = 0;
  for (std::size_t i = 1; i < line.size(); i += 2) {
    const int high = digit(line[i]), low = digit(line[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<std::uint8_t>(high * 16 + low));
    sum += out.back();
  }
  if (out.size() != out[0] + std::size_t{5} || (sum & 0xff) != 0) return std::nullopt;
  return out;
}

}  // namespace

std::string IntelHexWriter::record() {
  std::string out;
  if (address_ / kPage != page_) {
    page_ = address_ / kPage;
    const std::array<std::byte, 2> high{static_cast<std::byte>(page_ >> 8), static_cast<std::byte>(page_)};
    out += record_of(kLinearAddress, 0, high);
  }
  const std::size_t n =
      std::min<std::size_t>({kRecord, pending_.size(), static_cast<std::size_t>(kPage - address_ % kPage)});
  out += record_of(kData, static_cast<std::uint16_t>(address_ % kPage), std::span(pending_).first(n));
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(n));
  address_ += n;
  return out;
}

std::string IntelHexWriter::add(std::span<const std::byte> bytes) {
  std::string out;
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), kRecord - pending_.size());
    pending_.insert(pending_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    bytes = bytes.subspan(n);
    if (pending_.size() == kRecord) out += record();
  }
  return out;
}

std::string IntelHexWriter::finish() {
  std::string out;
  while (!pending_.empty()) out += record();
  return out + record_of(kEnd, 0, {});
}

Result<HexContents> read_intel_hex(std::string_view text, const std::string& file, Diagnostics& diags) {
  std::map<std::uint64_t, std::vector<std::uint8_t>> pieces;
  std::uint64_t page = 0;
  bool ended = false;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size() && !ended;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at = end + 1;
    ++number;
    if (line.empty()) continue;
    const auto bytes = bytes_of_line(line);
    const std::string where = "line " + std::to_string(number);
    if (!bytes) return diags.error(file, where, "is no record of Intel HEX, or a damaged one");
    const std::vector<std::uint8_t> data(bytes->begin() + 4, bytes->end() - 1);
    const unsigned type = (*bytes)[3];
    if (type == kEnd) ended = true;
    if (type == kData) pieces[page + (*bytes)[1] * 256U + (*bytes)[2]] = data;
    if (type == kLinearAddress && data.size() == 2) page = (data[0] * 256ULL + data[1]) * kPage;
    if (type == kSegmentAddress && data.size() == 2) page = (data[0] * 256ULL + data[1]) * kParagraph;
    if (type > kLinearStart)
      return diags.error(file, where, "is a record that Intel HEX does not have", "type " + std::to_string(type),
                         "type 0 to 5");
  }
  if (!ended || pieces.empty()) return diags.error(file, {}, "is cut off: no data, or no record of the end");
  const std::uint64_t first = pieces.begin()->first;
  std::vector<std::byte> out;
  std::uint64_t gaps = 0;
  for (const auto& [address, data] : pieces) {
    gaps += std::max<std::uint64_t>(address - first, out.size()) - out.size();
    if (gaps > kLargestGap)
      return diags.error(file, {}, "has gaps between its addresses", std::to_string(gaps) + " bytes", "one piece");
    out.resize(std::max<std::size_t>(out.size(), static_cast<std::size_t>(address - first + data.size())),
               std::byte{0xff});
    for (std::size_t i = 0; i < data.size(); ++i)
      out[static_cast<std::size_t>(address - first) + i] = std::byte{data[i]};
  }
  return HexContents{first, std::move(out)};
}

}  // namespace byoc::weights
