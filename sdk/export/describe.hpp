// The description of an exported library: its interface, for programs, and what its manifest says, for files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sdk/codegen/optimise/optimise.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

// `interface` of the program, with what the rewrites did: what they saved, and which channels of a value are there.
[[nodiscard]] ModelInterface describe_model(ModelInterface interface, const optimise::Optimised& rewritten);

struct LibraryFacts {
  ModelInterface interface;
  const std::map<std::string, std::string>& kernel_names;  // shared symbol -> its name in this export
  std::string toolchain;                                   // "clang 19.1.7"
  std::vector<Licence> licences;
  std::vector<CodegenOrigin> origins;
  std::string model_sha256 = {};  // "": not known
  LibraryFlash flash = {};
  StackBound stack = {};
  std::string executor = "aot";     // which one printed the root
  std::string weights_layout = {};  // of weights that it binds
};

// The description of a package whose members are there.
[[nodiscard]] LibraryDescription describe_library(const Package& package, LibraryFacts facts);

}  // namespace byoc
