// Objects for tests, made by the compilers that are installed.
#pragma once

#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::test {

inline std::string text_of(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

// A known target or an option string; the text must be right.
inline TargetSpec target(const std::string& name) {
  Diagnostics diags;
  auto t = resolve_target(name, diags);
  return t ? *t : TargetSpec();
}

// The characters of `text`.
inline Blob blob(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return Blob::own({bytes.begin(), bytes.end()});
}

inline std::vector<std::byte> file_bytes(const std::string& path) {
  Diagnostics diags;
  auto text = read_text(path, diags);
  if (!text) return {};
  std::vector<std::byte> out(text->size());
  if (!out.empty()) std::memcpy(out.data(), text->data(), out.size());
  return out;
}

// `command` with "-c FILE -o OUT" appended; FILE holds `text` and has `suffix`. Nothing when the command is not
// installed or fails.
inline std::optional<std::vector<std::byte>> assemble(std::vector<std::string> command, const std::string& text,
                                                      const std::string& suffix = ".c") {
  Diagnostics diags;
  if (find_program(command.front()).empty()) return std::nullopt;
  auto dir = TemporaryDirectory::create(diags);
  if (!dir) return std::nullopt;
  const std::string in = dir->path() + "/in" + suffix, out = dir->path() + "/out.o";
  std::ofstream(in, std::ios::binary) << text;
  for (const char* a : {"-c", in.c_str(), "-o", out.c_str()}) command.emplace_back(a);
  auto result = run_process(command, diags);
  if (!result || result->exit_code != 0) return std::nullopt;
  return file_bytes(out);
}

}  // namespace byoc::test
