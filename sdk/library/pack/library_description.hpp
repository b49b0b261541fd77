// The description of a library with a model: what its manifest says (sdk/library/pack/manifest.hpp), as types.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/sizes.hpp"
#include "byoc/target.hpp"
#include "sdk/library/object/verify_image.hpp"

namespace byoc {

// The place that a codegen comes from.
struct CodegenOrigin {
  std::string id;
  std::string version;
  std::string file = {};                            // the plug-in; "" for what is part of byoc
  std::map<std::string, std::string> options = {};  // as given
  std::string licence = {};                         // SPDX expression of the code it emits; "": it states none
  std::string xxh3_128 = {}, sha256 = {};           // of the bytes of the file
};

struct Licence {
  std::string codegen;
  std::string spdx;
  std::string text;
};

// The few fields of a target that a manifest has.
struct TargetName {
  std::string name;
  std::string triple = {}, cpu = {}, float_abi = {};
};
[[nodiscard]] inline TargetName name_of(const TargetSpec& t) { return {t.name, t.triple, t.cpu, t.float_abi}; }

// A flash region that is in use, and the section of the constants in it.
struct RegionInUse {
  std::string name;
  std::string section;
};

struct LibraryDescription {
  std::string byoc = {};          // the version that wrote it; "": this one
  ModelInterface interface = {};  // read from a file: without what steps leave in memory
  std::string model_sha256 = {};  // of the model's file; "": not known
  TargetName target = {};
  std::string toolchain = {};       // "clang 19.1.7"
  std::string executor = "aot";     // which one printed the root
  std::string weights_layout = {};  // of a model that binds its weights: 32 hexadecimal digits; "": it has its own
  std::vector<CodegenOrigin> origins = {};  // of every codegen that was asked
  std::vector<RegionInUse> regions = {};    // in the order of the constants
  std::vector<ExpectedConstant> constants = {};
  LibraryFlash flash = {};  // nothing for a library of sources
  StackBound stack = {};
  std::vector<std::string> undefined = {};       // functions that other libraries have to bring, sorted
  std::vector<std::string> members = {};         // object names in archive order
  std::vector<std::string> shared_kernels = {};  // symbols
  std::vector<std::string> link_libraries = {};  // what the firmware links besides
  std::vector<Licence> licences = {};
};

}  // namespace byoc
