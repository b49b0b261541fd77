// The description of an export: the interface, for programs, and the manifest, for files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sdk/optimise/optimise.hpp"
#include "sdk/pack/manifest.hpp"
#include "sdk/pack/package.hpp"

namespace byoc {

// `interface` of the program, with what the rewrites did: what they saved, and which channels of a value are there.
[[nodiscard]] ModelInterface describe_model(ModelInterface interface, const optimise::Optimised& rewritten);

struct LibraryFacts {
  const ModelInterface& interface;
  const std::map<std::string, std::string>& kernel_names;  // shared symbol -> its name in this export
  std::string toolchain;                                   // "clang 19.1.7"
  std::vector<Licence> licences;
  std::vector<CodegenOrigin> origins;
  std::string model_sha256 = {};    // "": not known
  std::string executor = "aot";     // which one printed the root
  std::string weights_layout = {};  // of weights that it binds
};

// The manifest of a package whose members are there.
[[nodiscard]] std::string describe_library(const Package& package, const LibraryFacts& facts);

}  // namespace byoc
