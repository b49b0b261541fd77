// All objects of a library in one relocatable object.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/pack/archive.hpp"

namespace byoc {

// Writes `members`, in this order, as one object at `path`. Of the symbols that their code defines, only those that
// `keep` accepts are visible to others, so that several such objects link into one firmware; constants keep their
// names. Every section stays by itself, for --gc-sections. The result is read back and compared with `target`. `name`
// is for diagnostics. Errors: those of check_members, of the linker, of the comparison, a file that cannot be written.
Result<void> write_relocatable(const std::vector<ArchiveMember>& members, const TargetSpec& target,
                               const std::function<bool(std::string_view)>& keep, const std::string& path,
                               const std::string& name, Diagnostics& diags);

}  // namespace byoc
