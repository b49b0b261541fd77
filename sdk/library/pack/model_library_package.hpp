// A model in Model Library Format that byoc wrote, as a package to compile: what a device's archive is, where there is
// no loader to take it as it is.
#pragma once

#include <optional>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

// The sources and objects that its metadata lists, with the headers, the target and the manifest; what only projects of
// other tools call is left out, and there is no example. `members` stays empty. Nothing of it is trusted, as of a
// folder (read_folder()). Errors: those of read_tar; no metadata.json, or another one than byoc's; several models; a
// field that is missing, of another type or has text that it cannot have; a file that is not there; a manifest that is
// damaged.
[[nodiscard]] Result<Package> read_model_library_package(const std::string& path,
                                                         const std::optional<TargetSpec>& named, Diagnostics& diags);

}  // namespace byoc
