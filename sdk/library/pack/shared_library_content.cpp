#include "sdk/library/pack/shared_library_content.hpp"

#include "sdk/library/object/image_symbol.hpp"

namespace byoc {

Result<SharedLibraryContent> read_shared_library(const std::string& path, Diagnostics& diags) {
  auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  auto block = dynamic_symbol_bytes((*file)->bytes(), kImportTreeSymbol, path, diags);
  if (!block) return failure;
  if (block->empty()) return diags.error(path, {}, "has no import tree", {}, "a library that byoc wrote");
  auto nodes = read_import_tree(*block, path, diags);
  if (!nodes) return failure;
  SharedLibraryContent out{*file, std::move(*nodes), {}};
  const ImportNode& root = out.modules.front();
  if (root.kind != ModuleKind::opaque)
    out.manifest = {reinterpret_cast<const char*>(root.bytes.data()), root.bytes.size()};
  return out;
}

}  // namespace byoc
