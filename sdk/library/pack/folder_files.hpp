// The paths of a package's parts in its folder. Internal to this folder.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/library/pack/format_version.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

inline constexpr JsonFormat kTreeFormat{"module tree", {}};  // of tree.json

// "src/kws_steps.c", "lib/npu.o", "data/weights.bin"; "" for what has no bytes.
[[nodiscard]] std::string module_path(const Module&);
// "include/kws.h", "src/kws_internal.h"
[[nodiscard]] std::string header_path(const Package&, const std::string& header);
[[nodiscard]] std::string member_path(const LibraryMember&);

// True if the source compiles with the files in the folder alone.
[[nodiscard]] bool stands_alone(const Module&);

// True if the module's source and the files in the folder make the member again.
[[nodiscard]] bool compiled_from_one_source(const LibraryMember&, const Module&);

// Hash of everything that the object of a C or LLVM module is made from.
[[nodiscard]] std::string made_of(const Module&, const ModuleTree&, const TargetSpec&);
// As made_of(), for the object that is linked from all of them.
[[nodiscard]] std::string all_made_of(const ModuleTree&, const TargetSpec&);

// {name, text} of the Makefile and CMakeLists.txt. `name` is the library's.
[[nodiscard]] std::map<std::string, std::string> build_files(const Package&, const std::string& name);

}  // namespace byoc
