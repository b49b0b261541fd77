// Files that byoc_add_plugin(... EMBED <file>...) puts into a plug-in: a library's C sources and headers, or an archive
// for each target. Header only; the files themselves come from a source that CMake writes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc {

struct EmbeddedFile {
  std::string_view name;  // without folders, unless EMBED gave it one: "m4f/libnn.a=build/m4f/libnn.a"
  std::span<const std::byte> bytes;

  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

// All embedded files, in the order of EMBED. Only plug-ins that were built with EMBED have this function.
[[nodiscard]] std::span<const EmbeddedFile> embedded_files();

// Null: there is none of this name.
[[nodiscard]] inline const EmbeddedFile* find_embedded(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files())
    if (file.name == name) return &file;
  return nullptr;
}

// Hands over every embedded .h, and every .c as a source with the standard and the defines of `like`. Its functions
// keep their names; a file that two plug-ins bring is in the library once.
inline void bring_sources(codegen::Host& host, const codegen::SourceDecl& like = {}) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name.ends_with(".h")) host.header(file.name, file.text());
    if (!file.name.ends_with(".c")) continue;
    codegen::SourceDecl source = like;
    source.name = file.name.substr(0, file.name.size() - 2);
    host.source(source, file.text());
  }
}

// Hands over an embedded archive, whose members go into the library, but for those that another plug-in brought
// already.
inline void bring_library(codegen::Host& host, const EmbeddedFile& file, std::string_view name) {
  codegen::ArtifactDecl library;
  library.kind = codegen::ArtifactKind::static_library;
  library.name = name;
  host.artifact(library, {file.bytes.begin(), file.bytes.end()});
}

}  // namespace byoc
