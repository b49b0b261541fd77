#include "sdk/run/values/labels.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "sdk/base/support/file.hpp"

namespace byoc {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;  // of a file of names
constexpr std::size_t kMostFiles = 16;                    // of an archive

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.emplace_back(line);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

using Archive = std::unique_ptr<archive, decltype(&archive_read_free)>;

// The stated size may be wrong, and compressed data may expand to any size.
std::optional<std::string> read_entry(archive* zip) {
  std::string out;
  std::array<char, 1 << 14> piece{};
  for (;;) {
    const la_ssize_t n = archive_read_data(zip, piece.data(), piece.size());
    if (n < 0 || out.size() + static_cast<std::size_t>(n) > kMostBytes) return std::nullopt;
    if (n == 0) return out;
    out.append(piece.data(), static_cast<std::size_t>(n));
  }
}

// A FlatBuffer of TFLite has its identifier behind the offset of its root.
bool is_tflite(const InputFile& file) {
  std::array<std::byte, 8> head{};
  Diagnostics ignored;
  if (file.stamp().size < head.size() || !file.read(0, head, ignored)) return false;
  return std::string_view(reinterpret_cast<const char*>(head.data()) + 4, 4) == "TFL3";
}

}  // namespace

Result<Labels> read_labels(const std::string& path, Diagnostics& diags) {
  const auto file = InputFile::open(path, diags);
  if (!file) return failure;
  if (file->stamp().size > kMostBytes)
    return diags.error(path, "--labels", "is too large for a file of names",
                       std::to_string(file->stamp().size) + " bytes", "at most " + std::to_string(kMostBytes));
  std::string text(file->stamp().size, '\0');
  if (!file->read(0, std::as_writable_bytes(std::span(text)), diags)) return failure;
  Labels out{path, lines_of(text)};
  if (out.names.empty()) return diags.error(path, "--labels", "has no names", {}, "a name on each line");
  return out;
}

std::vector<Labels> labels_in_model(const std::string& path) {
  std::vector<Labels> out;
  Diagnostics ignored;
  const auto file = InputFile::open(path, ignored);
  if (!file || !is_tflite(*file)) return out;
  const Archive zip(archive_read_new(), archive_read_free);
  archive_read_support_format_zip_seekable(zip.get());
  if (archive_read_open_fd(zip.get(), file->fd(), 1 << 14) != ARCHIVE_OK) return out;
  archive_entry* entry = nullptr;
  for (std::size_t i = 0; i < kMostFiles && archive_read_next_header(zip.get(), &entry) == ARCHIVE_OK; ++i) {
    const char* const name = archive_entry_pathname(entry);
    if (name == nullptr || !std::string_view(name).ends_with(".txt")) continue;
    const auto text = read_entry(zip.get());
    if (!text) break;
    out.push_back({path + "(" + name + ")", lines_of(*text)});
  }
  return out;
}

const Labels* labels_for(std::span<const Labels> labels, const IoTensor& tensor) {
  for (const Labels& l : labels)
    if (!tensor.dims.empty() && l.names.size() == static_cast<std::uint64_t>(tensor.dims.back())) return &l;
  return nullptr;
}

}  // namespace byoc
