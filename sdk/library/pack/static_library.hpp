// Reading static libraries that others made.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// The objects in a static library in the GNU ar format; they point into it. `name` is for diagnostics. Errors: no such
// format, damaged, a thin archive.
struct LibraryObject {
  std::string name;
  std::span<const std::byte> bytes;
};
[[nodiscard]] Result<std::vector<LibraryObject>> list_static_library(std::span<const std::byte> archive,
                                                                     const std::string& name, Diagnostics& diags);
// As above, with the objects' bytes.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::vector<std::byte>>>> read_static_library(
    std::span<const std::byte> archive, const std::string& name, Diagnostics& diags);

}  // namespace byoc
