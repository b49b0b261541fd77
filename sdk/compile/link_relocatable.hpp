// Several relocatable objects become one, by LLD.
#pragma once

#include <span>
#include <string>

#include "sdk/support/diagnostics.hpp"

namespace byoc {

// Links the object files `inputs`, in this order, into the relocatable `output`. Sections keep their names, so a linker
// can still drop each by itself. LLD keeps state and may end its process, so it runs in a forked worker. Errors: what
// the linker says, with `what` as the file.
Result<void> link_relocatable(std::span<const std::string> inputs, const std::string& output, const std::string& what,
                              Diagnostics& diags);

}  // namespace byoc
