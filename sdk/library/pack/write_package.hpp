// The last stage: a package in the form that the name of the output asks for, all of it or nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/pack/model_library.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

// Adds `out` to `files`:
//   .a    static library
//   .o    one object, in which only symbols that start with the "<prefix>_" of a model are seen by others
//   name/ a folder with everything in it (sdk/library/pack/folder.hpp)
//   .so   shared library of an operating system, with the import tree; what is seen of it is as in .o
//   .tar  Model Library Format (sdk/library/pack/model_library.hpp)
// for a host, .a, .o and .tar also carry what loads them (sdk/library/pack/loader_part.hpp), and beside .a, .o and .so,
// for a model, its header, manifest and example. Errors: those of pack_format and of each pack; an opaque module in
// what is for a device; several packages in another form than .a, .o and .tar, of several targets, or with different
// files of one name.
Result<void> add_packages(std::span<const Package> packages, const std::string& out, OutputSet& files,
                          Diagnostics& diags, const PackOptions& options = {});
// As above, if the package is the only output of a command.
Result<void> write_package(const Package& package, const std::string& out, Diagnostics& diags,
                           const PackOptions& options = {});
Result<void> write_packages(std::span<const Package> packages, const std::string& out, Diagnostics& diags,
                            const PackOptions& options = {});

// The package alone as one object, without what loads it.
Result<void> write_object(const Package& package, const std::string& out, Diagnostics& diags);

// The outputs of write_package() for libraries of these prefixes. Error: `out` does not determine its form.
[[nodiscard]] Result<std::vector<OutputName>> package_outputs(const std::string& out,
                                                              std::span<const std::string> prefixes,
                                                              const PackOptions& options, Diagnostics& diags);

// True if programs may load a pack of this name for this target, so that it needs a table of the steps
// (byoc/rt/steps.h).
[[nodiscard]] bool has_step_table(const std::string& out, const TargetSpec& target);

}  // namespace byoc
