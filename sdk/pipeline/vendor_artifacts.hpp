// What codegens hand over besides C and constants becomes members of the library, or a line of the manifest.
#pragma once

#include <string>
#include <vector>

#include "sdk/pipeline/export.hpp"
#include "sdk/plugin/compilation.hpp"

namespace byoc {

struct Licence {
  std::string codegen;
  std::string spdx;
  std::string text;
};

struct VendorArtifacts {
  std::vector<LibraryMember> members;       // in the order in which they were handed over
  std::vector<std::string> link_libraries;  // what the firmware links besides, without repetition
  std::vector<Licence> licences;
};

// Compiles bitcode for `target`, within `limits`, takes libraries apart. Errors name the codegen: bitcode that does not
// compile, a library that is none, a symbol that an artifact promises and does not define.
[[nodiscard]] Result<VendorArtifacts> take_artifacts(const plugin::Compilation& compilation, const TargetSpec& target,
                                                     const std::string& opt_level, const WorkerLimits& limits,
                                                     Diagnostics& diags);

// The objects in a static library in the GNU ar format, {name, bytes}. Errors: no such format, damaged, a thin archive.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::vector<std::byte>>>> read_archive(
    std::span<const std::byte> archive, const std::string& name, Diagnostics& diags);

// Every step, and every function of an instance, is defined by exactly the object of somebody. Errors name the codegen.
Result<void> check_definitions(const plugin::Compilation& compilation, const std::vector<LibraryMember>& members,
                               Diagnostics& diags);

}  // namespace byoc
