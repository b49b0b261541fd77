#include "sdk/base/support/file_kind.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string_view>

namespace byoc {
namespace {

constexpr std::size_t kStart = 512;  // of a tar: its first header

struct Row {
  std::string_view text, commands;
};

// Indexed by the number of the kind.
constexpr std::array<Row, 16> kRows{{
    {"nothing that can be read", ""},
    {"an empty file", ""},
    {"an exported folder", "byoc run, byoc inspect or byoc pack"},
    {"a folder", ""},
    {"an object", "byoc inspect, and byoc run if byoc exported it for a host"},
    {"a shared library", "byoc inspect, and byoc run if byoc exported it"},
    {"a linked program", "byoc verify"},
    {"a static library", "byoc inspect, and byoc run if byoc exported it for a host"},
    {"a thin archive, which names files instead of holding them", ""},
    {"a tar archive", "byoc inspect, and byoc run if byoc exported it for a host"},
    {"a compressed file", ""},
    {"a TFLite model", "byoc export, byoc run or byoc inspect"},
    {"a model as graph text", "byoc export, byoc run or byoc inspect"},
    {"JSON", "byoc inspect if it is a manifest, byoc verify --manifest"},
    {"a .npy tensor", "byoc run --input"},
    {"other bytes", ""},
}};

// The type of an ELF file is at 16, in its byte order, which the byte at 5 says: 1 is little-endian.
FileKind kind_of_elf(std::string_view text) {
  if (text.size() < 18) return FileKind::other;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned type = byte(5) == 2 ? byte(16) * 256U + byte(17) : byte(17) * 256U + byte(16);
  // A program that may lie anywhere is of the type of a library; sections of neither tell.
  return type == 1 ? FileKind::object : type == 3 ? FileKind::shared_library : FileKind::program;
}

bool is_compressed(std::string_view text) {
  using namespace std::string_view_literals;
  for (const std::string_view magic : {"\x1f\x8b"sv,
                                       "\xfd"
                                       "7zXZ"sv,
                                       "PK\x03\x04"sv, "BZh"sv, "\x28\xb5\x2f\xfd"sv})
    if (text.starts_with(magic)) return true;
  return false;
}

}  // namespace

FileKind kind_of_bytes(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (text.empty()) return FileKind::empty;
  if (text.starts_with("\177ELF")) return kind_of_elf(text);
  if (text.starts_with("!<arch>\n")) return FileKind::static_library;
  if (text.starts_with("!<thin>\n")) return FileKind::thin_archive;
  if (text.size() >= 262 && text.substr(257, 5) == "ustar") return FileKind::tar;
  if (is_compressed(text)) return FileKind::compressed;
  if (text.size() >= 8 && text.substr(4, 3) == "TFL") return FileKind::tflite;
  if (text.starts_with("\x93NUMPY")) return FileKind::npy;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return FileKind::other;
  if (text.substr(first, 6) == "graph " || text.substr(first, 2) == "//") return FileKind::graph_text;
  return text[first] == '{' ? FileKind::json : FileKind::other;
}

FileKind kind_of_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return std::filesystem::exists(path + "/tree.json", ignored) ? FileKind::folder : FileKind::other_folder;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about{};
  std::array<std::byte, kStart> start{};
  ssize_t n = -1;
  if (fd >= 0 && ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) n = ::pread(fd, start.data(), start.size(), 0);
  if (fd >= 0) ::close(fd);
  return n < 0 ? FileKind::missing : kind_of_bytes(std::span(start).first(static_cast<std::size_t>(n)));
}

std::string_view describe(FileKind kind) { return kRows[static_cast<std::size_t>(kind)].text; }

std::string_view commands_for(FileKind kind) { return kRows[static_cast<std::size_t>(kind)].commands; }

std::string found_kind(FileKind kind) {
  const std::string_view commands = commands_for(kind);
  return std::string(describe(kind)) + (commands.empty() ? "" : ", for " + std::string(commands));
}

bool is_library(FileKind kind) {
  switch (kind) {
    case FileKind::folder:
    case FileKind::object:
    case FileKind::shared_library:
    case FileKind::static_library:
    case FileKind::tar: return true;
    default: return false;
  }
}

}  // namespace byoc
