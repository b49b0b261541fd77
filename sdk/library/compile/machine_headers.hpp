// Headers of the C library and of Clang that compilations read: this machine's, or those in a release archive.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sdk/target/target/target.hpp"

namespace byoc::compile {

// <prefix>/lib/byoc/root, where this program is <prefix>/bin/byoc of a release archive. Headers of Debian's packages
// are below it at their usual paths. Empty where there is no such folder: the packages themselves are then installed.
[[nodiscard]] const std::string& bundled_root();

// The folder of Clang's own headers. An archive's are first, because they are of the Clang inside of this program.
[[nodiscard]] std::string resource_directory();

// The header folders of the target's C library. If none of them is on this machine, those of the archive.
[[nodiscard]] std::vector<std::string> c_library_folders(const TargetSpec&);

// True if one of the folders has headers of a C library.
[[nodiscard]] bool have_c_library(std::span<const std::string> folders);

// The above, with the archive's folder `root`.
[[nodiscard]] std::vector<std::string> c_library_folders(std::span<const std::string> folders, const std::string& root);

}  // namespace byoc::compile
