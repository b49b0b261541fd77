// The last stage: a package in the form that the name of the output asks for, all of it or nothing.
#pragma once

#include <span>
#include <string>

#include "sdk/pack/model_library.hpp"
#include "sdk/pack/package.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

// Writes `out`:
//   .a    static library
//   .o    one object, in which only symbols that start with the "<prefix>_" of a model are seen by others
//   name/ a folder with everything in it (sdk/pack/folder.hpp)
//   .so   shared library of an operating system, with the import tree; what is seen of it is as in .o
//   .tar  Model Library Format (sdk/pack/model_library.hpp)
// and beside .a, .o and .so, for a model, its header, manifest and example. Errors: those of pack_format and of each
// pack; an opaque module in what is for a device; several packages in another form than .a, .o and .tar, of several
// targets, or with different files of one name.
Result<void> write_package(const Package& package, const std::string& out, Diagnostics& diags,
                           const PackOptions& options = {});
Result<void> write_packages(std::span<const Package> packages, const std::string& out, Diagnostics& diags,
                            const PackOptions& options = {});

// Whether a pack of this name is for programs that load it, too, and wants a table of the steps (byoc/rt/steps.h).
[[nodiscard]] bool has_step_table(const std::string& out);

}  // namespace byoc
