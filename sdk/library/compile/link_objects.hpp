// Several relocatable objects become one file, by LLD.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// Links `inputs`, objects and static libraries of which every member is linked, in this order, into the relocatable
// `output`. Sections keep their names, so a linker can still drop each by itself. LLD keeps state and may end its
// process, so it runs in a worker. Errors: what the linker says, with `what` as the file.
Result<void> link_relocatable(std::span<const std::string> inputs, const std::string& output, const std::string& what,
                              Diagnostics& diags);

struct SharedLink {
  std::vector<std::string> inputs;     // objects, and static libraries of which every member is linked
  std::vector<std::string> libraries;  // shared and static ones, of which what is needed is taken
};
// Links them into the shared library `output`: all that they define is seen by others, and used by themselves before
// what others define. Every symbol must be there. In a worker, as above. Errors: what the linker says.
Result<void> link_shared(const SharedLink& request, const std::string& output, const std::string& what,
                         Diagnostics& diags);

}  // namespace byoc
