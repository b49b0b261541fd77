#include "sdk/run/simulate/elf_sizes.hpp"

#include "sdk/library/object/object_facts.hpp"

namespace byoc {

Result<ElfSizes> elf_sizes(std::span<const std::byte> file, const std::string& path, Diagnostics& diags) {
  const auto facts = read_object_facts(file, path, diags);
  if (!facts) return failure;
  ElfSizes sizes;
  for (const ObjectSection& s : facts->sections) {
    if (!s.allocated || (s.per_thread && s.zeroed)) continue;  // zeroed data of threads takes no memory by itself
    std::uint64_t& of = s.executable ? sizes.text : !s.writable ? sizes.rodata : s.zeroed ? sizes.bss : sizes.data;
    of += s.size;
  }
  return sizes;
}

}  // namespace byoc
