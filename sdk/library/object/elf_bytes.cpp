#include "sdk/library/object/elf_bytes.hpp"

#include <elf.h>

namespace byoc::elf {

std::vector<std::byte> object_header(const ElfTarget& elf, std::uint64_t section_headers, std::size_t sections) {
  Bytes h(elf.wide);
  h.u8(0x7f).text("ELF").u8(elf.wide ? ELFCLASS64 : ELFCLASS32).u8(ELFDATA2LSB).u8(EV_CURRENT).u8(ELFOSABI_NONE);
  h.pad_to(EI_NIDENT);
  h.u16(ET_REL).u16(elf.machine).u32(EV_CURRENT).word(0).word(0).word(section_headers).u32(elf.flags);
  h.u16(elf.wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)).u16(0).u16(0);
  h.u16(elf.wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)).u16(sections).u16(sections - 1);
  return h.take();
}

}  // namespace byoc::elf
