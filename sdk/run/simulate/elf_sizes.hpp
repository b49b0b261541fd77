// Sizes of a linked program: bytes of code, constants, initialised and zeroed data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// By section flags: executable; else read-only; else writable with and without bytes in the file.
struct ElfSizes {
  std::uint64_t text = 0;
  std::uint64_t rodata = 0;
  std::uint64_t data = 0;
  std::uint64_t bss = 0;
};

// `path` is for diagnostics. Errors: those of read_object_facts().
[[nodiscard]] Result<ElfSizes> elf_sizes(std::span<const std::byte> file, const std::string& path, Diagnostics&);

}  // namespace byoc
