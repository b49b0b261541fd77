// A package as a folder: everything that it was made from and of, to be built by any build system, or packed by byoc.
//
//   CMakeLists.txt, Makefile     build the library from its sources
//   tree.json                    the module tree
//   <name>.json, <name>_example_main.c, include/<name>.h     of a model
//   src/                         C sources and their headers, LLVM modules
//   lib/                         every object, the constants among them, and static libraries
//   data/                        blobs and what only a loader understands
#pragma once

#include <optional>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

inline constexpr const char* kTreeFile = "tree.json";  // by which a folder is known

// Adds the folder `path` to `files`. Errors: two files of one name, a header whose name leaves the folder, those of
// OutputSet.
Result<void> add_folder(const Package& package, const std::string& path, OutputSet& files, Diagnostics& diags);

// Reads a folder of add_folder(), or a tree by hand in its format (docs/formats.md); `members` stays empty. Nothing in
// the folder is trusted: commands are taken from `named`, the target that the user names, or from known targets
// (with_trusted_commands()). A module keeps its compiled object only if source, headers and options are still those it
// was compiled from. Constants and objects stay in their files, mapped. Errors: no tree.json; a field that is missing,
// of another type or has invalid text; a file outside the folder or a link that leads there; a file that cannot be read
// or is too short; a constant whose content differs from tree.json; a damaged manifest.
[[nodiscard]] Result<Package> read_folder(const std::string& path, const std::optional<TargetSpec>& named,
                                          Diagnostics& diags);

}  // namespace byoc
