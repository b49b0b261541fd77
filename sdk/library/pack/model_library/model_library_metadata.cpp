#include "sdk/library/pack/model_library/model_library_metadata.hpp"

namespace byoc {

bool read_metadata_entry(TarEntry& entry, const std::string& path, std::string& text, Diagnostics& diags) {
  if (entry.size > kLargestMetadata) {
    diags.error(path, entry.name, "is too large", std::to_string(entry.size) + " bytes", "at most 64 MiB");
    return false;
  }
  text.resize(static_cast<std::size_t>(entry.size));
  return entry.read(std::as_writable_bytes(std::span(text)));
}

Result<std::string> read_metadata_text(const std::string& path, Diagnostics& diags) {
  std::string text;
  const auto visit = [&](TarEntry& entry) {
    return entry.name != kMetadataFile || read_metadata_entry(entry, path, text, diags);
  };
  if (!read_tar(path, visit, diags)) return failure;
  if (text.empty()) return diags.error(path, {}, "has no metadata.json");
  return text;
}

}  // namespace byoc
