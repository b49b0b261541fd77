// Constants without a model: any binary data that a firmware wants in flash.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "byoc/target.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

struct ConstantFile {
  std::string path;
  std::string symbol;  // "" takes the file's name, made an identifier
};

struct PackConstantsOptions {
  std::uint32_t align = 8;       // bytes, a power of two
  std::string region = "flash";  // a flash pool of the target
};

// Writes `out` (.a or .o) with one read-only object of `target` for each file, and beside it a C header (.h) that
// declares them and a manifest (.json) for verification; all of it or nothing. The bytes are streamed from file to
// file. Errors: no file, one that cannot be read, an empty one, a symbol that is no C identifier or there twice, and
// those of ConstantObject and Archive.
Result<void> pack_constants(std::span<const ConstantFile> files, const TargetSpec& target,
                            const PackConstantsOptions& options, const std::string& out, Diagnostics&);

}  // namespace byoc
