// libFuzzer's entry: whatever the bytes, reading them as an import tree ends in a tree inside those bytes or in a
// diagnostic. The checksum is made right first, or nothing behind it would ever be read.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sdk/base/support/frame.hpp"
#include "sdk/target/module/import_tree.hpp"

namespace {

[[noreturn]] void broken(const char* rule) {
  std::fprintf(stderr, "broken rule: %s\n", rule);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto given = std::as_bytes(std::span(data, size));
  std::vector<std::byte> block(given.begin(), given.end());
  byoc::seal_frame(block);
  byoc::Diagnostics diags;
  auto nodes = byoc::read_import_tree(block, "tree", diags);
  if (nodes && diags.has_errors()) broken("an accepted tree has no error");
  if (!nodes && !diags.has_errors()) broken("a refused tree has an error");
  if (!nodes) return 0;
  if (nodes->empty()) broken("a tree has a root");
  // Reads all of it.
  std::size_t sum = 0;
  for (const byoc::ImportNode& n : *nodes) {
    for (const std::uint32_t to : n.imports)
      if (to >= nodes->size()) broken("imports are nodes");
    for (const char c : n.name) sum += static_cast<unsigned char>(c);
    for (const char c : n.loader) sum += static_cast<unsigned char>(c);
    for (const std::string_view f : n.functions) sum += f.size();
    for (const std::byte b : n.bytes) sum += static_cast<std::size_t>(b);
  }
  [[maybe_unused]] static volatile std::size_t kept;
  kept = sum;
  return 0;
}
