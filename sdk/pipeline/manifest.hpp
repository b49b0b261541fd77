// The manifest: what is in an exported library, as JSON. Deterministic: no clocks, no paths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/target.hpp"
#include "sdk/module/module.hpp"
#include "sdk/object/verify_image.hpp"
#include "sdk/pipeline/export.hpp"
#include "sdk/pipeline/vendor_artifacts.hpp"

namespace byoc {

struct ManifestInput {
  const ModelInterface& interface;
  const TargetSpec& target;
  std::string toolchain;  // "clang 19.1.7"
  const std::vector<ConstantArtifact>& constants;
  std::vector<std::string> members;         // object names in archive order
  std::vector<std::string> shared_kernels;  // symbols
  std::vector<std::string> link_libraries;  // what the firmware links besides
  std::vector<Licence> licences;
  std::vector<CodegenOrigin> origins;  // of everybody who was asked
};

// Format version 1; docs/formats.md describes it.
[[nodiscard]] std::string write_manifest(const ManifestInput&);
// The part of it that says what constants there are, for a library without a model.
[[nodiscard]] std::string write_constants_manifest(const TargetSpec&, const std::vector<ConstantArtifact>&);

// The constants that a manifest of either kind states. `file` is for diagnostics. Errors: no JSON, another format
// version, a field that is missing or of another type.
[[nodiscard]] Result<std::vector<ExpectedConstant>> read_manifest_constants(std::string_view text,
                                                                            const std::string& file, Diagnostics&);

}  // namespace byoc
