// Libraries of C sources, for the target that has no machine (sdk/target/target/source_target.hpp).
#pragma once

#include <vector>

#include "sdk/export/export.hpp"
#include "sdk/library/pack/package.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc {

// Errors: options of the request that are of objects, or of one machine.
[[nodiscard]] Result<void> check_source_request(const ExportRequest& request, Diagnostics& diags);

// The names of a model's parts that the source of its constants refers to.
struct SourceNames {
  const std::string& prefix;           // of macros
  const std::string& header;           // "kws.h"
  const std::string& internal_header;  // declares the constants
};

// The tree's constants become a source of it, which also checks that the compiler and its machine are as all sources
// need them. Errors: a module that is not C; a constant that cannot be read.
[[nodiscard]] Result<void> constants_to_source(ModuleTree& tree, const SourceNames& names, ConstantForm form,
                                               Diagnostics& diags);

// A member without an object for each source.
[[nodiscard]] std::vector<LibraryMember> source_members(const ModuleTree& tree);

}  // namespace byoc
