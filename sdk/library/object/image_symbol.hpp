// Reading an image without loading it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// The bytes in the file of a data symbol that an ELF image offers to others (.dynsym); empty where it offers none.
// `name` is for diagnostics. Errors: no ELF image, malformed, bytes that are not in the file.
[[nodiscard]] Result<std::span<const std::byte>> dynamic_symbol_bytes(std::span<const std::byte> image,
                                                                      const std::string& symbol,
                                                                      const std::string& name, Diagnostics&);

// The name of a shared library (DT_SONAME); "" if it has none. Errors: as above.
[[nodiscard]] Result<std::string> shared_library_name(std::span<const std::byte> image, const std::string& name,
                                                      Diagnostics&);

}  // namespace byoc
