// Constants without a model: any binary data that a firmware wants in flash.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "byoc/options.hpp"
#include "byoc/pack.hpp"
#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/compile/compiler.hpp"

namespace byoc {

// Writes `out` (.a or .o) with one read-only object of `target` for each file, and beside it a C header (.h) that
// declares them and a manifest (.json) for verification; all of it or nothing. The bytes are streamed from file to
// file, unless `encoding` asks for something else than byoc's own writer. Errors: no file, one that cannot be read, an
// empty one, a symbol that is no C identifier or there twice, and those of encode_constants and Archive.
Result<void> pack_constants(std::span<const ConstantFile> files, const TargetSpec& target,
                            const ConstantFileOptions& options, const std::string& out, Diagnostics&);

}  // namespace byoc
