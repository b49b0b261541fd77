#include "sdk/library/object/stack_note.hpp"

#include <elf.h>

#include <cstring>
#include <string_view>

namespace byoc {
namespace {

constexpr std::string_view kNote(".note.GNU-stack\0", 16);

// The headers are read and written by copy: nothing in an object is aligned for this machine.
template <class Header, class Section>
void drop(std::span<std::byte> object) {
  Header header;
  if (object.size() < sizeof header) return;
  std::memcpy(&header, object.data(), sizeof header);
  const std::uint64_t table = header.e_shoff, count = header.e_shnum;
  if (header.e_shentsize != sizeof(Section) || header.e_shstrndx >= count || table > object.size() ||
      count * sizeof(Section) > object.size() - table)
    return;
  const auto read = [&](std::uint64_t i) {
    Section s;
    std::memcpy(&s, object.data() + table + i * sizeof s, sizeof s);
    return s;
  };
  const Section names = read(header.e_shstrndx);
  if (names.sh_offset > object.size() || names.sh_size > object.size() - names.sh_offset) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    Section s = read(i);
    if (s.sh_name > names.sh_size || names.sh_size - s.sh_name < kNote.size() || s.sh_size != 0) continue;
    if (std::memcmp(object.data() + names.sh_offset + s.sh_name, kNote.data(), kNote.size()) != 0) continue;
    s.sh_type = SHT_NULL;
    std::memcpy(object.data() + table + i * sizeof s, &s, sizeof s);
  }
}

}  // namespace

void drop_stack_note(std::span<std::byte> object) {
  if (object.size() < EI_NIDENT || std::memcmp(object.data(), ELFMAG, SELFMAG) != 0) return;
  if (object[EI_DATA] != std::byte{ELFDATA2LSB}) return;
  if (object[EI_CLASS] == std::byte{ELFCLASS32}) drop<Elf32_Ehdr, Elf32_Shdr>(object);
  if (object[EI_CLASS] == std::byte{ELFCLASS64}) drop<Elf64_Ehdr, Elf64_Shdr>(object);
}

}  // namespace byoc
