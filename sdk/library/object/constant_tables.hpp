// Tables that compiled code brings: what is `const` in C and not of a codegen's constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

struct ConstantTable {
  std::string symbol;
  std::uint32_t align = 1;           // of its section
  std::span<const std::byte> bytes;  // in the object
};

// The global data of an object that stays as it is: in sections that are loaded, have contents and are never written,
// in the order of the file. Left out is what a linker may change or merge: with relocations in it, in sections of
// literals, or where another definition may stand beside it. Errors: no readable ELF. `name` is for diagnostics.
[[nodiscard]] Result<std::vector<ConstantTable>> constant_tables(std::span<const std::byte> object,
                                                                 const std::string& name, Diagnostics&);

}  // namespace byoc
