#include "sdk/run/simulate/elf_sizes.hpp"

#include <elf.h>

#include <cstring>

namespace byoc {
namespace {

template <class T>
bool load(std::span<const std::byte> file, std::uint64_t offset, T& out) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return false;
  std::memcpy(&out, file.data() + offset, sizeof(T));
  return true;
}

void add_section(ElfSizes& sizes, std::uint64_t type, std::uint64_t flags, std::uint64_t bytes) {
  if ((flags & SHF_ALLOC) == 0) return;
  if ((flags & SHF_TLS) != 0 && type == SHT_NOBITS) return;  // takes no memory by itself
  if ((flags & SHF_EXECINSTR) != 0)
    sizes.text += bytes;
  else if ((flags & SHF_WRITE) == 0)
    sizes.rodata += bytes;
  else if (type == SHT_NOBITS)
    sizes.bss += bytes;
  else
    sizes.data += bytes;
}

template <class Header, class Section>
bool sum_sections(std::span<const std::byte> file, ElfSizes& sizes) {
  Header header;
  if (!load(file, 0, header) || header.e_shentsize != sizeof(Section)) return false;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Section section;
    if (header.e_shoff > file.size() || !load(file, header.e_shoff + i * sizeof(Section), section)) return false;
    add_section(sizes, section.sh_type, section.sh_flags, section.sh_size);
  }
  return true;
}

}  // namespace

Result<ElfSizes> elf_sizes(std::span<const std::byte> file, const std::string& path, Diagnostics& diags) {
  unsigned char ident[EI_NIDENT];
  if (!load(file, 0, ident) || std::memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_DATA] != ELFDATA2LSB)
    return diags.error(path, {}, "is not a little-endian ELF file");
  ElfSizes sizes;
  const bool ok = ident[EI_CLASS] == ELFCLASS64 ? sum_sections<Elf64_Ehdr, Elf64_Shdr>(file, sizes)
                                                : sum_sections<Elf32_Ehdr, Elf32_Shdr>(file, sizes);
  if (!ok) return diags.error(path, {}, "has section headers outside the file or of an unknown size");
  return sizes;
}

}  // namespace byoc
