// Makes any pack from folders with module trees.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "byoc/options.hpp"
#include "byoc/pack.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/pack/write_package.hpp"

namespace byoc {

// Reads `folders` (sdk/library/pack/folder.hpp), compiles what has no object that fits it, checks everything again as
// at the export, and writes `out`. Errors: those of read_folder, compile_tree and write_packages.
Result<void> pack_trees(std::span<const std::string> folders, const BuildOptions& options, const std::string& out,
                        Diagnostics& diags);

// As pack_trees(), for packages that were read already.
Result<void> pack_packages(std::vector<Package> packages, const BuildOptions& options, const std::string& out,
                           Diagnostics& diags);

// As pack_trees(), into a package of another build system (sdk/library/pack/forms/form.hpp), of any number of models
// and targets. Errors: those of read_folder, compile_tree, variants_of, check_form and write_form.
Result<void> pack_form(std::span<const std::string> folders, const PackageForm& form, const BuildOptions& options,
                       const std::string& out, Diagnostics& diags);

}  // namespace byoc
