#include "sdk/library/object/constant_tables.hpp"

#include <llvm/Object/ELF.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>
#include <bit>

namespace byoc {
namespace {

namespace object = llvm::object;
namespace ELF = llvm::ELF;

// A section that tables may be in, with where in it relocations are.
struct TableSection {
  bool stays = false;
  std::uint32_t align = 1;
  std::span<const std::byte> bytes = {};
  std::vector<std::uint64_t> relocated = {};
};

template <class Relocations>
void note(const Relocations& relocations, TableSection& section) {
  for (const auto& r : relocations) section.relocated.push_back(r.r_offset);
}

template <class ELFT>
llvm::Expected<std::vector<TableSection>> read_table_sections(const object::ELFFile<ELFT>& file) {
  auto headers = file.sections();
  if (!headers) return headers.takeError();
  std::vector<TableSection> out(headers->size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto& s = (*headers)[i];
    constexpr std::uint64_t kOthers =
        ELF::SHF_WRITE | ELF::SHF_EXECINSTR | ELF::SHF_MERGE | ELF::SHF_GROUP | ELF::SHF_TLS;
    out[i].stays = (s.sh_flags & ELF::SHF_ALLOC) != 0 && (s.sh_flags & kOthers) == 0 &&
                   s.sh_type == ELF::SHT_PROGBITS && s.sh_addralign <= UINT32_MAX &&
                   std::has_single_bit(std::uint64_t{s.sh_addralign});
    if (out[i].stays) {
      auto bytes = file.getSectionContents(s);
      if (!bytes) return bytes.takeError();
      out[i].bytes = std::as_bytes(std::span(bytes->data(), bytes->size()));
      out[i].align = static_cast<std::uint32_t>(s.sh_addralign);
    }
    const bool rel = s.sh_type == ELF::SHT_REL, rela = s.sh_type == ELF::SHT_RELA;
    if ((!rel && !rela) || s.sh_info >= out.size()) continue;
    if (rel) {
      auto relocations = file.rels(s);
      if (!relocations) return relocations.takeError();
      note(*relocations, out[s.sh_info]);
    } else {
      auto relocations = file.relas(s);
      if (!relocations) return relocations.takeError();
      note(*relocations, out[s.sh_info]);
    }
  }
  return out;
}

template <class ELFT>
llvm::Expected<std::vector<ConstantTable>> read_tables(const object::ELFFile<ELFT>& file) {
  auto headers = file.sections();
  auto sections = read_table_sections(file);
  if (!headers) return llvm::joinErrors(headers.takeError(), sections.takeError());
  if (!sections) return sections.takeError();
  std::vector<ConstantTable> out;
  for (const auto& s : *headers) {
    if (s.sh_type != ELF::SHT_SYMTAB) continue;
    auto symbols = file.symbols(&s);
    if (!symbols) return symbols.takeError();
    auto strings = file.getStringTableForSymtab(s);
    if (!strings) return strings.takeError();
    for (const auto& symbol : *symbols) {
      if (symbol.getBinding() != ELF::STB_GLOBAL || symbol.getType() != ELF::STT_OBJECT || symbol.st_size == 0)
        continue;
      if (symbol.st_shndx >= sections->size()) continue;  // absolute, common, or of an index that needs more bits
      const TableSection& section = (*sections)[symbol.st_shndx];
      const std::uint64_t at = symbol.st_value, size = symbol.st_size;
      if (!section.stays || at > section.bytes.size() || size > section.bytes.size() - at) continue;
      if (std::any_of(section.relocated.begin(), section.relocated.end(),
                      [&](std::uint64_t r) { return r < at + size && r + sizeof(std::uint64_t) > at; }))
        continue;
      auto name = symbol.getName(*strings);
      if (!name) return name.takeError();
      const std::uint32_t align =
          at == 0 ? section.align : std::min(section.align, std::uint32_t{1} << std::countr_zero(at));
      out.push_back(
          {name->str(), align, section.bytes.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size))});
    }
  }
  return out;
}

llvm::Expected<std::vector<ConstantTable>> read_tables(const object::ObjectFile& file) {
  if (const auto* f = llvm::dyn_cast<object::ELF32LEObjectFile>(&file)) return read_tables(f->getELFFile());
  if (const auto* f = llvm::dyn_cast<object::ELF64LEObjectFile>(&file)) return read_tables(f->getELFFile());
  if (const auto* f = llvm::dyn_cast<object::ELF32BEObjectFile>(&file)) return read_tables(f->getELFFile());
  return read_tables(llvm::cast<object::ELF64BEObjectFile>(file).getELFFile());
}

}  // namespace

Result<std::vector<ConstantTable>> constant_tables(std::span<const std::byte> bytes, const std::string& name,
                                                   Diagnostics& diags) {
  const llvm::MemoryBufferRef buffer({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "");
  auto file = object::ObjectFile::createELFObjectFile(buffer);
  auto tables = file ? read_tables(**file) : llvm::Expected<std::vector<ConstantTable>>(file.takeError());
  if (!tables) return diags.error(name, {}, "is no readable ELF object", llvm::toString(tables.takeError()));
  return std::move(*tables);
}

}  // namespace byoc
