// Libraries that were exported before, made ready to be linked and run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/pack/static_library.hpp"

namespace byoc {

struct ExportedLibrary {
  TargetSpec target;
  ModelInterface interface;  // as its manifest says: without what steps leave in memory
  std::string library;       // absolute; a .a or a .so by the name that the dynamic linker looks for
  std::vector<std::string> link_libraries;
  std::string executor = "aot";  // what runs it
};

// True if `path` is a folder with a module tree, or a library by its content or its name, and not a model.
[[nodiscard]] bool is_exported(const std::string& path);

// Opens a folder, which is packed once more into `directory`, or a shared library, which gets its name there. `target`
// replaces the one that a shared library names; "" looks that up among the known ones. Errors: those of read_folder and
// of packing; a .so that byoc did not write, a library without a model, a damaged manifest; a folder with another
// target than its own.
[[nodiscard]] Result<ExportedLibrary> open_exported(const std::string& path, const std::string& target,
                                                    const std::string& directory, Diagnostics& diags);

// Opens objects without a module tree, as they are for devices: a .a or .o by the manifest of its model, which lies
// beside it as export left it; a .tar by its metadata, compiled into `directory`. `objects` are those of a .a or .o.
// Errors: no manifest beside it of a model whose functions are in it, or several; those of read_model_library_package
// and of packing.
[[nodiscard]] Result<ExportedLibrary> open_for_device(const std::string& path, std::span<const LibraryObject> objects,
                                                      const std::string& target, const std::string& directory,
                                                      Diagnostics& diags);

}  // namespace byoc
