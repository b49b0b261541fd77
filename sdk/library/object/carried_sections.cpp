#include "sdk/library/object/carried_sections.hpp"

#include <elf.h>

#include "sdk/library/object/elf_bytes.hpp"
#include "sdk/library/object/elf_target.hpp"

namespace byoc {
namespace {

constexpr std::uint64_t kAlign = 16;

// ELF header | the sections | .note.GNU-stack (hosted targets) | .symtab, with the empty symbol | .strtab, .shstrtab |
// headers
std::vector<std::byte> layout(const TargetSpec& target, const ElfTarget& elf,
                              const std::vector<CarriedSection>& carried) {
  elf::Strings names;
  elf::Bytes content(elf.wide);
  std::vector<elf::SectionHeader> sections(1);
  const std::uint64_t start = elf.wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
  const auto begin = [&](std::uint64_t align) {
    content.pad_to(elf::align_up(start + content.size(), align) - start);
    return start + content.size();
  };
  for (const CarriedSection& c : carried) {
    sections.push_back({names.add(c.name), SHT_PROGBITS, SHF_EXCLUDE, begin(kAlign), c.bytes.size(), 0, 0, kAlign, 0});
    content.text({reinterpret_cast<const char*>(c.bytes.data()), c.bytes.size()});
  }
  if (target.hosted)  // stack_note.hpp says why only there
    sections.push_back({names.add(".note.GNU-stack"), SHT_PROGBITS, 0, begin(1), 0, 0, 0, 1, 0});
  const std::uint64_t symbol = elf.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  sections.push_back({names.add(".symtab"), SHT_SYMTAB, 0, begin(8), symbol, sections.size() + 1, 1, 8, symbol});
  content.pad_to(content.size() + symbol);
  sections.push_back({names.add(".strtab"), SHT_STRTAB, 0, begin(1), 1, 0, 0, 1, 0});
  content.u8(0);
  const std::uint64_t own = names.add(".shstrtab");
  sections.push_back({own, SHT_STRTAB, 0, begin(1), names.text().size(), 0, 0, 1, 0});
  content.text(names.text());
  const std::uint64_t headers = begin(8);
  for (const elf::SectionHeader& s : sections) elf::put_section(content, s);
  std::vector<std::byte> out = elf::object_header(elf, headers, sections.size());
  const std::vector<std::byte> rest = content.take();
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

}  // namespace

Result<std::vector<std::byte>> write_carried_sections(const TargetSpec& target,
                                                      const std::vector<CarriedSection>& sections, Diagnostics& diags) {
  const auto elf = elf_target(target);
  if (!elf || elf->big_endian)
    return diags.error({}, target.name, "objects cannot be written for this architecture", target.triple,
                       "little-endian arm, aarch64, riscv, x86_64 or i386");
  std::uint64_t size = 0;
  for (const CarriedSection& c : sections) size += c.bytes.size() + kAlign;
  if (!elf->wide && size > INT32_MAX)
    return diags.error({}, target.name, "what goes along does not fit into a 32-bit object",
                       std::to_string(size) + " bytes", "less than 2 GiB");
  return layout(target, *elf, sections);
}

}  // namespace byoc
