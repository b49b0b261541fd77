// Makes a linker script from manifests: the places of the constants of one or more libraries, and of workspaces in
// memories besides the first RAM. Its header states the memory that is enough for runs of any of them, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/pack.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// A flash region of a library: its constants and the section that each has.
struct ConstantRegion {
  std::string name;     // "flash", "npu_flash"
  std::string section;  // ".rodata": constants are in ".rodata.<symbol>"
  std::vector<std::string> symbols = {};
  std::vector<std::uint64_t> bytes = {};  // of each
  std::uint64_t total = 0;                // with what aligns them, in this order
  std::uint32_t align = 1;
};

// A RAM that a library needs a workspace in, or its instance. The firmware declares them, in this section.
struct WorkspaceMemory {
  std::string name;     // "dtcm"
  std::string field;    // the same in C
  std::string section;  // ".bss.dtcm"
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
};

struct LibraryConstants {
  std::string name;                     // of the model, or of the file of constants
  std::vector<ConstantRegion> regions;  // in order of first mention
  std::vector<WorkspaceMemory> workspaces = {};
  std::vector<PoolWorkspace> runs_in = {};  // of a model: workspaces alone, the first of them without names
};

// Reads the manifest of a model, or of constants alone. `file` is for diagnostics. Errors: those of
// read_manifest_constants; a region without a section; names that no linker script can have.
[[nodiscard]] Result<LibraryConstants> read_constant_regions(std::string_view text, const std::string& file,
                                                             Diagnostics& diags);

// `memories` says in which memory of the script a region or a workspace goes; what is left is where the script has
// .rodata or .bss. `name` starts every name: an identifier. Errors: a region or a workspace with a section of its own
// and no memory, a memory for a region that no library has, a constant that two libraries have, one of several
// libraries that has this name.
[[nodiscard]] Result<LinkerFragment> write_linker_fragment(const std::vector<LibraryConstants>& libraries,
                                                           const std::map<std::string, std::string>& memories,
                                                           const std::string& name, Diagnostics& diags);

}  // namespace byoc
