// From a folder with a module tree to any pack.
#pragma once

#include <span>
#include <string>

#include "sdk/support/diagnostics.hpp"

namespace byoc {

struct PackTreeOptions {
  std::string toolchain = {};  // for sources without an object of their own; "" takes the target's default
};

// Reads `folder` (sdk/pipeline/folder.hpp), compiles what has no object that fits it, checks everything again as at the
// export, and writes `out`. Errors: those of read_folder, compile_tree and write_package.
Result<void> pack_tree(const std::string& folder, const PackTreeOptions& options, const std::string& out,
                       Diagnostics& diags);

}  // namespace byoc
