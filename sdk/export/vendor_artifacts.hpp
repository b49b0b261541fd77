// Artifacts of codegens besides C and constants: each becomes a module of the tree, or a line of the manifest.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

// An object, an LLVM module or a library.
[[nodiscard]] bool is_module(const plugin::OtherArtifact& artifact);
// Makes a module of the tree from one of these. `opt_level` is for LLVM modules.
[[nodiscard]] Module vendor_module(const plugin::OtherArtifact& artifact, const std::string& opt_level);

struct VendorArtifacts {
  std::vector<std::string> link_libraries;  // what the firmware links besides, without repetition
  std::vector<Licence> licences;
};

// The rest of them.
[[nodiscard]] VendorArtifacts take_artifacts(const plugin::Compilation& compilation);

// The symbols that the objects of `members` define, those that link-time optimisation merged among them.
[[nodiscard]] std::set<std::string> defined_symbols(const std::vector<LibraryMember>& members);

// Errors: a symbol that a codegen's code defines and something else does too. `built_in` codegens are never the one to
// blame.
Result<void> check_clashes(const ModuleTree& tree, const std::vector<LibraryMember>& members,
                           const std::set<std::string>& built_in, Diagnostics& diags);

// Every step, those in bodies of control nodes of `graph` among them, and every function of an instance is defined by
// an object of somebody's. Errors name the codegen.
Result<void> check_definitions(const ir::Graph& graph, const plugin::Compilation& compilation,
                               const std::vector<LibraryMember>& members, Diagnostics& diags);

}  // namespace byoc
