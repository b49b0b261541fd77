#include "sdk/library/object/image_symbol.hpp"

#include <llvm/Object/ELF.h>
#include <llvm/Object/ELFObjectFile.h>

#include <utility>

namespace byoc {
namespace {

namespace object = llvm::object;
using SymbolBytes = llvm::Expected<std::span<const std::byte>>;

template <class ELFT>
SymbolBytes bytes_at(const object::ELFFile<ELFT>& file, std::span<const std::byte> image, std::uint64_t address,
                     std::uint64_t size) {
  auto segments = file.program_headers();
  if (!segments) return segments.takeError();
  for (const auto& p : *segments) {
    if (p.p_type != llvm::ELF::PT_LOAD || address < p.p_vaddr || address - p.p_vaddr > p.p_filesz ||
        size > p.p_filesz - (address - p.p_vaddr))
      continue;
    const std::uint64_t offset = p.p_offset + (address - p.p_vaddr);
    if (offset > image.size() || size > image.size() - offset) break;
    return image.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }
  return llvm::createStringError("a symbol's bytes are not in the file");
}

template <class ELFT>
SymbolBytes find_symbol(const object::ELFFile<ELFT>& file, std::span<const std::byte> image,
                        const std::string& wanted) {
  auto sections = file.sections();
  if (!sections) return sections.takeError();
  for (const auto& s : *sections) {
    if (s.sh_type != llvm::ELF::SHT_DYNSYM) continue;
    auto symbols = file.symbols(&s);
    if (!symbols) return symbols.takeError();
    auto strings = file.getStringTableForSymtab(s);
    if (!strings) return strings.takeError();
    for (const auto& symbol : *symbols) {
      auto name = symbol.getName(*strings);
      if (!name) return name.takeError();
      if (!symbol.isUndefined() && *name == wanted) return bytes_at(file, image, symbol.st_value, symbol.st_size);
    }
  }
  return std::span<const std::byte>();
}

// Sections are asked, as nothing that byoc writes is without them.
template <class ELFT>
llvm::Expected<std::string> find_name(const object::ELFFile<ELFT>& file) {
  auto sections = file.sections();
  if (!sections) return sections.takeError();
  for (const auto& s : *sections) {
    if (s.sh_type != llvm::ELF::SHT_DYNAMIC) continue;
    // dynamicEntries() is not used, because it trusts the file offsets in program headers.
    auto entries = file.template getSectionContentsAsArray<typename ELFT::Dyn>(s);
    if (!entries) return entries.takeError();
    auto linked = file.getSection(s.sh_link);
    if (!linked) return linked.takeError();
    auto strings = file.getStringTable(**linked);
    if (!strings) return strings.takeError();
    for (const auto& e : *entries)
      if (e.d_tag == llvm::ELF::DT_SONAME && e.getVal() < strings->size())
        return std::string(strings->data() + e.getVal());  // string tables end with NUL
  }
  return std::string();
}

template <class F>
auto visit(std::span<const std::byte> image, const F& read)
    -> decltype(read(std::declval<const object::ELFFile<object::ELF64LE>&>())) {
  const llvm::MemoryBufferRef buffer({reinterpret_cast<const char*>(image.data()), image.size()}, "");
  auto file = object::ObjectFile::createELFObjectFile(buffer);
  if (!file) return file.takeError();
  if (const auto* elf = llvm::dyn_cast<object::ELF32LEObjectFile>(file->get())) return read(elf->getELFFile());
  if (const auto* elf = llvm::dyn_cast<object::ELF64LEObjectFile>(file->get())) return read(elf->getELFFile());
  if (const auto* elf = llvm::dyn_cast<object::ELF32BEObjectFile>(file->get())) return read(elf->getELFFile());
  return read(llvm::cast<object::ELF64BEObjectFile>(file->get())->getELFFile());
}

}  // namespace

Result<std::span<const std::byte>> dynamic_symbol_bytes(std::span<const std::byte> image, const std::string& symbol,
                                                        const std::string& name, Diagnostics& diags) {
  auto bytes = visit(image, [&](const auto& file) { return find_symbol(file, image, symbol); });
  if (!bytes) return diags.error(name, {}, "is no shared library: " + llvm::toString(bytes.takeError()));
  return *bytes;
}

Result<std::string> shared_library_name(std::span<const std::byte> image, const std::string& name, Diagnostics& diags) {
  auto found = visit(image, [](const auto& file) { return find_name(file); });
  if (!found) return diags.error(name, {}, "is no shared library: " + llvm::toString(found.takeError()));
  return *found;
}

}  // namespace byoc
