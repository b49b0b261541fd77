// Reading plain tar archives that others made, without unpacking them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// A regular file in an archive, as long as it is visited.
class TarEntry {
 public:
  std::string name;        // normalised, relative: "codegen/host/lib/add_lib0.o"
  std::uint64_t size = 0;  // no more than the archive's own
  // The next bytes of it; as many as are asked for, or it is damaged.
  std::function<bool(std::span<std::byte>)> read;
};

// Visits every file of the archive, in its order. `visit` returns false to end it with an error that it has reported.
// Errors: no tar, a compressed one, a damaged one; entries that leave the archive, are there twice, are neither files
// nor folders, or say that they are larger than the archive.
Result<void> read_tar(const std::string& path, const std::function<bool(TarEntry&)>& visit, Diagnostics& diags);

}  // namespace byoc
