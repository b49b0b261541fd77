#include "sdk/run/host/loadable.hpp"

#include <link.h>

#include <cstring>
#include <filesystem>

#include "sdk/base/support/file_kind.hpp"
#include "sdk/library/object/elf_target.hpp"
#include "sdk/library/object/image_symbol.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/run/host/parts.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::runtime {
namespace {

struct MachineOfElf {
  std::uint16_t machine = 0;
  bool wide = false, big_endian = false;
  bool operator==(const MachineOfElf&) const = default;
  [[nodiscard]] std::string text() const {
    return machine_name(machine) + (wide ? ", 64-bit" : ", 32-bit") + (big_endian ? ", big endian" : "");
  }
};

Result<MachineOfElf> own_machine(Diagnostics& diags) {
  auto self = MappedFile::open("/proc/self/exe", diags);
  if (!self) return failure;
  ElfW(Ehdr) own{};
  std::memcpy(&own, (*self)->bytes().data(), std::min(sizeof own, (*self)->bytes().size()));
  return MachineOfElf{own.e_machine, own.e_ident[EI_CLASS] == ELFCLASS64, own.e_ident[EI_DATA] == ELFDATA2MSB};
}

// The first known target of an operating system that is of this machine; "" where boards are of it, too, and the file
// may be for one of them.
std::string target_named(const MachineOfElf& m) {
  std::string out;
  for (const TargetSpec& t : known_targets()) {
    const auto elf = elf_target(t);
    if (!elf || m != MachineOfElf{elf->machine, elf->wide, elf->big_endian}) continue;
    if (!t.hosted) return {};
    if (out.empty()) out = t.name;
  }
  return out;
}

std::string with_machine(const std::string& target, const MachineOfElf& m) {
  return target.empty() ? m.text() : "'" + target + "' (" + m.text() + ")";
}

Result<Loadable> read_shared(const std::string& path, Diagnostics& diags) {
  Loadable out;
  out.path = path;
  auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  out.image = *file;
  auto block = dynamic_symbol_bytes((*file)->bytes(), kImportTreeSymbol, path, diags);
  if (!block) return failure;
  if (!block->empty()) {
    auto nodes = read_import_tree(*block, path, diags);
    if (!nodes) return failure;
    out.nodes = std::move(*nodes);
  }
  // The library is opened by its descriptor, because for a known name the dynamic linker returns the library that it
  // has already, whatever the file is now. The descriptor, and with it this name, is ours until the library is closed.
  out.library = "/proc/self/fd/" + std::to_string((*file)->fd());
  return out;
}

}  // namespace

std::string target_of_tree(const std::vector<ImportNode>& nodes) {
  Diagnostics ignored;
  for (const ImportNode& n : nodes) {
    if (n.kind == ModuleKind::opaque || n.bytes.empty()) continue;
    const auto model = read_manifest({reinterpret_cast<const char*>(n.bytes.data()), n.bytes.size()}, {}, ignored);
    if (model) return model->target.name;
  }
  return {};
}

Result<void> check_machine(std::span<const std::byte> bytes, std::uint16_t type, const std::string& name,
                           const std::string& target, Diagnostics& diags) {
  auto facts = read_object_facts(bytes, name, diags);
  if (!facts) return failure;
  if (facts->type != type)
    return diags.error(name, {}, type == ET_DYN ? "is no shared library" : "is no object",
                       facts->type == ET_REL ? "an object" : "another ELF file", type == ET_DYN ? "a .so" : "a .o");
  const auto own = own_machine(diags);
  if (!own) return failure;
  const MachineOfElf its{facts->machine, facts->wide, facts->big_endian};
  if (its == *own) return {};
  return diags.error(name, {}, "is for another machine", with_machine(target.empty() ? target_named(its) : target, its),
                     with_machine(target_named(*own), *own));
}

Result<void> read_trees(std::vector<std::pair<std::string, std::span<const std::byte>>> trees, Loadable& out,
                        Diagnostics& diags) {
  std::vector<ImportNode> all;
  if (trees.size() > 1) {  // a root that all of them hang off
    ImportNode root;
    root.kind = ModuleKind::static_library;
    root.name = out.names.emplace_back(std::filesystem::path(out.path).stem().string());
    all.push_back(std::move(root));
  }
  for (const auto& [library, block] : trees) {
    // In memory of its own, where bytes are aligned as loaders may count on.
    const auto& copy = out.blocks.emplace_back(block.begin(), block.end());
    auto nodes = read_import_tree(copy, out.path, diags);
    if (!nodes) return failure;
    const auto first = static_cast<std::uint32_t>(all.size());
    if (trees.size() > 1) all.front().imports.push_back(first);
    for (ImportNode& n : *nodes) {
      for (std::uint32_t& i : n.imports) i += first;
      all.push_back(std::move(n));
    }
  }
  out.nodes = std::move(all);
  return {};
}

bool is_of_this_machine(const TargetSpec& target) {
  Diagnostics ignored;
  const auto own = own_machine(ignored);
  const auto elf = elf_target(target);
  return target.hosted && own && elf && *own == MachineOfElf{elf->machine, elf->wide, elf->big_endian};
}

Result<Loadable> read_library(const std::string& path, const std::string& named, Diagnostics& diags) {
  switch (kind_of_file(path)) {
    case FileKind::missing:  // says why
    case FileKind::shared_library: return read_shared(path, diags);
    case FileKind::object:
    case FileKind::static_library:
    case FileKind::thin_archive:
    case FileKind::tar:
    case FileKind::folder: return read_parts(path, named, diags);
    default: break;
  }
  return diags.error(path, {}, "is nothing that can be loaded", found_kind(kind_of_file(path)),
                     "a .so, .o, .a, .tar or folder that byoc exported for a host");
}

// The machine is checked first: a file for another machine may be of the wrong machine without being byoc's.
Result<void> check_loadable(const Loadable& library, Diagnostics& diags) {
  const std::string target = target_of_tree(library.nodes);
  if (library.image && !check_machine(library.image->bytes(), ET_DYN, library.path, target, diags)) return failure;
  for (const LibraryObject& o : library.parts.objects)
    if (!check_machine(o.bytes, ET_REL, o.name, target, diags)) return failure;
  for (const std::span<const std::byte> o : library.parts.carried)
    if (!check_machine(o, ET_REL, library.path, target, diags)) return failure;
  if (library.nodes.empty())
    return diags.error(library.path, {}, "has no import tree", {}, "a library that byoc wrote for a host");
  return {};
}

Result<Loadable> open_loadable(const std::string& path, const std::vector<std::string>& libraries, Diagnostics& diags) {
  auto out = read_library(path, {}, diags);
  if (!out || !check_loadable(*out, diags) || !link(*out, libraries, diags)) return failure;
  return out;
}

}  // namespace byoc::runtime
