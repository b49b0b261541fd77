// A warning for models that no chip of the target can hold.
#pragma once

#include <string>

#include "byoc/byoc.hpp"

namespace byoc::cli {

// Warns where flash or RAM of the library, its inputs and outputs included, are more than the chip has; of a core, more
// than any known chip with it has.
void warn_of_memory(const std::string& model, const ModelInterface& interface, const LibrarySizes& sizes,
                    const TargetSpec& target, Diagnostics& diags);

}  // namespace byoc::cli
