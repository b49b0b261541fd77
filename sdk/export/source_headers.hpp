// Headers that the user's sources include, taken along with them, so that the sources compile elsewhere, too.
#pragma once

#include "sdk/target/module/module.hpp"

namespace byoc {

// Turns headers of the user's C, C++ and assembly modules into headers of the tree: those that lie beside a module or
// in its include folders, and those that these include. The module then needs no folder. If two modules mean different
// files by one name, or if a name is computed or is no plain path, the modules still look in their folders.
void take_headers(ModuleTree& tree);

}  // namespace byoc
