#include "sdk/library/weights/read.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/crc32.hpp"
#include "sdk/base/support/file_kind.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/sha256.hpp"
#include "sdk/library/weights/intel_hex.hpp"

namespace byoc::weights {
namespace {

bool begins_with_magic(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

std::uint32_t crc_of(const std::byte* header, std::span<const std::byte> payload) {
  std::array<std::byte, kSignedBytes> head{};
  std::copy_n(header, head.size(), head.begin());
  std::fill_n(head.begin() + at::kCrc32, sizeof(std::uint32_t), std::byte{0});
  return crc32(payload, crc32(head));
}

// Inputs or outputs; files of before have none. False: damaged.
bool read_ends(const SortedJson& json, const char* key, std::vector<End>& out) {
  if (!json.contains(key)) return true;
  if (!json[key].is_array()) return false;
  for (const auto& e : json[key]) {
    if (!e.is_object() || !e.value("name", SortedJson()).is_string() || !e.value("type", SortedJson()).is_string() ||
        !e.value("scales", SortedJson()).is_array() || !e.value("zero_points", SortedJson()).is_array())
      return false;
    End end{e["name"], e["type"]};
    for (const auto& scale : e["scales"]) {
      if (!scale.is_number()) return false;
      end.scales.push_back(scale.get<float>());
    }
    for (const auto& zero : e["zero_points"]) {
      if (!zero.is_number_integer()) return false;
      end.zero_points.push_back(zero.get<std::int64_t>());
    }
    out.push_back(std::move(end));
  }
  return true;
}

// An empty text is allowed: flash tools may cut off the directory.
Result<void> read_directory(std::string_view text, ReadBlob& out, const std::string& file, Diagnostics& diags) {
  if (text.find_first_not_of(' ') == std::string_view::npos) return {};
  const auto json = try_parse_json(text);
  const auto bad = [&] { return diags.error(file, "directory", "is damaged"); };
  if (!json.is_object() || !json.contains("model") || !json["model"].is_string() || !json.contains("constants") ||
      !json["constants"].is_array())
    return bad();
  out.model = json["model"].get<std::string>();
  for (const auto& c : json["constants"]) {
    if (!c.is_object() || !c.value("symbol", SortedJson()).is_string() || !c.value("type", SortedJson()).is_string() ||
        !c.value("offset", SortedJson()).is_number_unsigned() || !c.value("bytes", SortedJson()).is_number_unsigned())
      return bad();
    Entry e{c["symbol"], c["offset"], c["bytes"], c["type"]};
    if (e.offset > out.payload.size() || e.bytes > out.payload.size() - e.offset)
      return diags.error(file, e.symbol, "is not in the payload", std::to_string(e.offset + e.bytes) + " bytes",
                         "at most " + std::to_string(out.payload.size()));
    out.entries.push_back(std::move(e));
  }
  if (!read_ends(json, "inputs", out.inputs) || !read_ends(json, "outputs", out.outputs)) return bad();
  return {};
}

Result<ReadBlob> read_blob(std::span<const std::byte> bytes, const std::string& file, Diagnostics& diags) {
  if (bytes.size() < kHeaderBytes)
    return diags.error(file, {}, "is cut off in a header of weights", std::to_string(bytes.size()) + " bytes",
                       std::to_string(kHeaderBytes));
  ReadBlob out;
  Header& h = out.header = decode(bytes.data());
  if (h.version != kVersion)
    return diags.error(file, {}, "weights of another version", std::to_string(h.version), std::to_string(kVersion));
  if (h.blob_bytes < kHeaderBytes || h.payload_offset < kHeaderBytes || h.payload_offset > h.blob_bytes ||
      h.payload_bytes > h.blob_bytes - h.payload_offset || h.payload_offset > bytes.size() ||
      h.payload_bytes > bytes.size() - h.payload_offset)
    return diags.error(file, {}, "is cut off, or its header is damaged", std::to_string(bytes.size()) + " bytes",
                       std::to_string(h.blob_bytes));
  out.payload = bytes.subspan(h.payload_offset, static_cast<std::size_t>(h.payload_bytes));
  if (crc_of(bytes.data(), out.payload) != h.crc32)
    return diags.error(file, {}, "is damaged: its CRC32 is another one than its header says");
  if (sha256(out.payload) != h.sha256)
    return diags.error(file, {}, "is damaged: its SHA-256 is another one than its header says");
  // Flash tools may have cut off what follows the payload.
  const std::size_t end = static_cast<std::size_t>(h.payload_offset + h.payload_bytes);
  const auto rest = h.blob_bytes <= bytes.size() ? bytes.first(static_cast<std::size_t>(h.blob_bytes)).subspan(end)
                                                 : std::span<const std::byte>();
  if (!read_directory({reinterpret_cast<const char*>(rest.data()), rest.size()}, out, file, diags)) return failure;
  return out;
}

}  // namespace

bool is_weights(const std::string& path) {
  Diagnostics ignored;
  const auto file = MappedFile::open(path, ignored);
  if (!file) return false;
  const auto bytes = (*file)->bytes();
  if (begins_with_magic(bytes)) return true;
  if (!path.ends_with(".hex") || bytes.empty() || bytes[0] != std::byte{':'}) return false;
  const auto decoded = read_intel_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, ignored);
  return decoded && begins_with_magic(decoded->bytes);
}

Result<Weights> read_weights(const std::string& path, Diagnostics& diags) {
  const auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  Weights out;
  const auto bytes = (*file)->bytes();
  if (path.ends_with(".hex")) {
    auto decoded = read_intel_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, diags);
    if (!decoded) return failure;
    out.bytes = std::move(decoded->bytes);
  } else {
    out.bytes.assign(bytes.begin(), bytes.end());
  }
  std::span<const std::byte> rest = out.bytes;
  while (begins_with_magic(rest)) {
    auto blob = read_blob(rest, path, diags);
    if (!blob) return failure;
    rest = rest.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(blob->header.blob_bytes, rest.size())));
    out.blobs.push_back(std::move(*blob));
  }
  if (out.blobs.empty())
    return diags.error(path, {}, "is no file of weights", found_kind(kind_of_start(bytes)),
                       "what --weights-blob wrote");
  if (std::any_of(rest.begin(), rest.end(), [](std::byte b) { return b != std::byte{0xff}; }))
    return diags.error(path, {}, "has bytes behind its last blob", std::to_string(rest.size()) + " bytes", "none");
  return out;
}

}  // namespace byoc::weights
