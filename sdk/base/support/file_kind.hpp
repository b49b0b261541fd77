// The kind of a file, recognised by its contents. Messages name it when a file of the wrong kind is given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace byoc {

enum class FileKind : std::uint32_t {
  missing,  // or not to be read
  empty,
  folder,  // with a module tree
  other_folder,
  object,          // ELF relocatable
  shared_library,  // ELF
  program,         // ELF: a firmware, too
  static_library,
  thin_archive,
  tar,
  compressed,  // gzip, xz, zip ...
  tflite,
  graph_text,
  json,
  npy,
  other,  // an ONNX model among others: it has no mark
};

// Reads the start of it.
[[nodiscard]] FileKind kind_of_file(const std::string& path);
[[nodiscard]] FileKind kind_of_bytes(std::span<const std::byte> start);
// The kind of a file whose bytes are all in `all`.
[[nodiscard]] inline FileKind kind_of_start(std::span<const std::byte> all) {
  return kind_of_bytes(all.first(std::min<std::size_t>(all.size(), 512)));
}
// A form in which byoc exports libraries.
[[nodiscard]] bool is_library(FileKind);

// "a static library"
[[nodiscard]] std::string_view describe(FileKind);
// The command that takes it: "byoc inspect, byoc run"; "" for what none does.
[[nodiscard]] std::string_view commands_for(FileKind);
// Both, as a diagnostic's "found": "a static library, which is for byoc inspect or byoc run".
[[nodiscard]] std::string found_kind(FileKind);

}  // namespace byoc
