// The target "c": C sources for any compiler instead of objects of one machine.
#pragma once

#include "byoc/target.hpp"

namespace byoc {

// A target without a machine. Nothing is compiled for it; its libraries are folders of C sources.
[[nodiscard]] TargetSpec source_target();

// True if libraries for this target are C sources and no objects.
[[nodiscard]] bool makes_sources(const TargetSpec&);

}  // namespace byoc
