// From members to the pack that the name of the output asks for.
#pragma once

#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/pack/archive.hpp"
#include "sdk/support/file.hpp"

namespace byoc {

// Adds `out` to `files`: .a, or .o, in which only symbols that start with `prefix` are seen by others ("": all).
// Errors: those of pack_format and of the pack.
Result<void> add_pack(std::vector<ArchiveMember> members, const TargetSpec& target, const std::string& prefix,
                      const std::string& out, OutputSet& files, Diagnostics& diags);

}  // namespace byoc
