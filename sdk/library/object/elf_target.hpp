// The fields of the ELF header of an object for a target.
#pragma once

#include <cstdint>
#include <optional>

#include "byoc/target.hpp"

namespace byoc {

struct ElfTarget {
  std::uint16_t machine = 0;  // EM_*
  bool wide = false;          // ELFCLASS64
  bool big_endian = false;
  std::uint32_t flags = 0;  // e_flags of an object with the target's ABI
  // Arrays of 16 bytes or more have at least this alignment, and compilers count on it where they see one declared.
  std::uint32_t large_array_align = 1;
  std::uint64_t large_threshold = 0;  // bytes from which on data is beyond 32-bit offsets; 0: never
};

// Nullopt if byoc does not know the architecture.
[[nodiscard]] std::optional<ElfTarget> elf_target(const TargetSpec&);

}  // namespace byoc
