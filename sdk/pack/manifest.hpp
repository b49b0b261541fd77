// The manifest: what is in an exported library, as JSON. Deterministic: no clocks, no paths.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/target.hpp"
#include "sdk/module/module.hpp"
#include "sdk/object/constant_object.hpp"
#include "sdk/object/verify_image.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

// The origin of a codegen.
struct CodegenOrigin {
  std::string id;
  std::string version;
  std::string file = {};                            // the plug-in; "" for what is part of byoc
  std::map<std::string, std::string> options = {};  // as given
  std::string licence = {};                         // of the code it emits, as it says; "": it does not
  std::string xxh3_128 = {}, sha256 = {};           // of what is in the file
};
// Hashes what is in their files. Error: one that cannot be read.
Result<void> identify_origins(std::vector<CodegenOrigin>& origins, Diagnostics&);

struct Licence {
  std::string codegen;
  std::string spdx;
  std::string text;
};

struct ManifestInput {
  const ModelInterface& interface;
  const TargetSpec& target;
  std::string toolchain;  // "clang 19.1.7"
  const std::vector<ConstantArtifact>& constants;
  std::vector<std::string> members;         // object names in archive order
  std::vector<std::string> shared_kernels;  // symbols
  std::vector<std::string> link_libraries;  // what the firmware links besides
  std::vector<Licence> licences;
  std::vector<CodegenOrigin> origins;      // of everybody who was asked
  std::string model_sha256 = {};           // of the model's file; "" if that is not known
  std::string executor = "aot";            // which one printed the root
  const ConstantObject* object = nullptr;  // of these constants, which may know what they are
  std::string weights_layout = {};  // of a model that binds its weights: 32 hexadecimal digits; "": it has its own
};

// docs/formats.md describes what is written, and which versions there were.
inline constexpr int kManifestFormat = 1;
[[nodiscard]] std::string write_manifest(const ManifestInput&);
// The part of it that says what constants there are, for a library without a model. `object`, of these constants, may
// know what they are. `tables` are those of its code, which a program may drop.
[[nodiscard]] std::string write_constants_manifest(const TargetSpec&, const std::vector<ConstantArtifact>&,
                                                   const ConstantObject* object,
                                                   const std::vector<ConstantArtifact>& tables = {});

// The constants that a manifest of either kind, of any version that was ever written, states. `file` is for
// diagnostics. Errors: no JSON, a version that is newer than kManifestFormat, a field that is missing or of another
// type.
[[nodiscard]] Result<std::vector<ExpectedConstant>> read_manifest_constants(std::string_view text,
                                                                            const std::string& file, Diagnostics&);

// The sections that a linker needs for what a manifest of either kind describes. Errors: those above.
struct ManifestSections {
  std::string prefix;                           // "" without a model
  std::map<std::string, std::string> regions;   // of constants: what the names of their sections start with
  std::optional<PoolWorkspace> workspace = {};  // the first, of a model; it has no names
  std::vector<PoolWorkspace> workspaces;        // beside it
  std::optional<PoolWorkspace> instance = {};   // where it is in such a RAM, too
};
[[nodiscard]] Result<ManifestSections> read_manifest_sections(std::string_view text, const std::string& file,
                                                              Diagnostics&);

// A model's part of the manifest, for running its library.
struct ManifestModel {
  ModelInterface interface;  // without what steps leave in memory
  std::string target;        // its name
  std::vector<std::string> link_libraries;
  std::string executor = "aot";
};

// Errors: those above; names that are no C identifiers, an element type or alignment that does not exist, a workspace,
// input or output without an end.
[[nodiscard]] Result<ManifestModel> read_manifest_model(std::string_view text, const std::string& file, Diagnostics&);

// The library that the files beside it belong to, as the manifest of either kind says: "kws.a". "" where the text is no
// manifest, or one that is not beside a library.
[[nodiscard]] std::string manifest_library(std::string_view text);
// The manifest with its library set to `library`. A text that is no JSON stays as it is.
[[nodiscard]] std::string with_library(const std::string& text, const std::string& library);

// Checks every part of a model's manifest that is read, because anybody may have written it. Errors: those above, and
// another `prefix` than this one.
Result<void> check_manifest(std::string_view text, const std::string& prefix, const std::string& file, Diagnostics&);
// In its place where an export ended before there was more to say.
inline constexpr std::string_view kEmptyManifest = "{}\n";

// "f32" -> DType::f32; nothing where there is no such type.
[[nodiscard]] std::optional<DType> read_dtype(std::string_view name);

}  // namespace byoc
