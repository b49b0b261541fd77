// The manifest: what is in an exported library, as JSON. Deterministic: no clocks, no paths.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/library/object/constant_object.hpp"
#include "sdk/library/object/verify_image.hpp"
#include "sdk/library/pack/library_description.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc {

// Hashes the bytes of their files. Error: one that cannot be read.
Result<void> identify_origins(std::vector<CodegenOrigin>& origins, Diagnostics&);

// `constants` as a manifest states them. `object`, of these constants, may know their hashes; null: they are hashed.
[[nodiscard]] std::vector<ExpectedConstant> state_constants(const std::vector<ConstantArtifact>& constants,
                                                            const ConstantObject* object);
// The flash regions of `target` that the constants use.
[[nodiscard]] std::vector<RegionInUse> regions_of(const TargetSpec& target,
                                                  const std::vector<ConstantArtifact>& constants);

// docs/formats.md describes the format and lists its versions.
inline constexpr int kManifestFormat = 1;
[[nodiscard]] Json manifest_json(const LibraryDescription&);
// `library` is the file that the manifest stands beside: "kws.a"; "": it stands beside none.
[[nodiscard]] std::string write_manifest(const LibraryDescription&, const std::string& library = {});
// The manifest of a library without a model, which states its constants alone. `object`, of these constants, may know
// their hashes. `tables` are constants of code, which a program may drop.
[[nodiscard]] std::string write_constants_manifest(const TargetSpec&, const std::vector<ConstantArtifact>&,
                                                   const ConstantObject* object, const std::string& library,
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

// The description of a library with a model. Errors: those above; names that are no C identifiers, an element type or
// alignment that does not exist, a workspace, input or output of more than 2^48 bytes.
[[nodiscard]] Result<LibraryDescription> read_manifest(std::string_view text, const std::string& file, Diagnostics&);
// Reads the manifest of the model whose public symbols start with `prefix`. Errors: those above; another prefix; a
// constant whose symbol is no C identifier.
[[nodiscard]] Result<LibraryDescription> read_manifest_of(std::string_view text, const std::string& prefix,
                                                          const std::string& file, Diagnostics&);

// The library that the files beside it belong to, as the manifest of either kind says: "kws.a". "" where the text is no
// manifest, or one that is not beside a library.
[[nodiscard]] std::string manifest_library(std::string_view text);

// The manifest of an export that ended before there was more to say.
inline constexpr std::string_view kEmptyManifest = "{}\n";

// "f32" -> DType::f32; nothing where there is no such type.
[[nodiscard]] std::optional<DType> read_dtype(std::string_view name);

}  // namespace byoc
