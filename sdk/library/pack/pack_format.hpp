// The forms that a library can be written in, by the name of the output.
#pragma once

#include <cstdint>
#include <string>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

enum class PackFormat : std::uint32_t {
  archive = 0,      // .a
  relocatable = 1,  // .o
  folder = 2,       // a name that ends in / or has no suffix
  tar = 3,          // .tar
  shared = 4,       // .so
};

// Error: a suffix that is none of these.
[[nodiscard]] Result<PackFormat> pack_format(const std::string& path, Diagnostics&);

}  // namespace byoc
