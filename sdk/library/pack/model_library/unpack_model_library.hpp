// The objects in an archive in Model Library Format that byoc wrote, as files, for programs that load it.
#pragma once

#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// Writes the objects that its metadata lists, and those that carry import trees, into `directory`, by numbers: no name
// in the archive becomes a path. Their paths, in the order of the archive. Errors: those of read_tar; no metadata.json,
// or another one than byoc's; an archive for a device, which nothing loads; an object that is not there.
[[nodiscard]] Result<std::vector<std::string>> unpack_model_library(const std::string& path,
                                                                    const std::string& directory, Diagnostics& diags);

}  // namespace byoc
