// All objects of a library in one shared library of an operating system.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/pack/archive.hpp"

namespace byoc {

struct SharedLibraryRequest {
  const std::vector<ArchiveMember>& members;
  const TargetSpec& target;
  std::vector<std::string> visible;                  // what others see: symbols, or "*"
  std::vector<std::string> link_libraries;           // "acme_npu" for -lacme_npu
  std::string path;                                  // absolute
  std::string name;                                  // of the file in the end: its soname, and for diagnostics
  std::map<std::string, std::string> codegens = {};  // whose a member is, by its name; for diagnostics
};

// Links with the target's GNU compiler, which knows its C library. Every symbol must be defined, and is bound when the
// library is loaded. There is no build id, so that equal members give equal bytes. The result is read back and compared
// with the target. Errors: a target without an operating system or without position-independent code, a compiler that
// is not installed, those of check_members, of the linker and of the comparison.
Result<void> write_shared_library(const SharedLibraryRequest& request, Diagnostics& diags);

}  // namespace byoc
