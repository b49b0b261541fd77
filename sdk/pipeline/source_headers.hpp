// Headers that the user's sources include, taken along with them, so that the sources compile elsewhere, too.
#pragma once

#include "sdk/module/module.hpp"

namespace byoc {

// For each C, C++ and assembly module of the user's: the headers that lie beside it or in its include folders, and
// those that these include, become headers of the tree; the module then needs no folder. Where two modules mean
// different files by one name, where a name is computed, or is no plain path, the modules go on looking in their
// folders.
void take_headers(ModuleTree& tree);

}  // namespace byoc
