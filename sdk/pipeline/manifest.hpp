// The manifest: what is in an exported library, as JSON. Deterministic: no clocks, no paths.
#pragma once

#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/executor/interface.hpp"
#include "sdk/module/module.hpp"

namespace byoc {

struct ManifestInput {
  const ModelInterface& interface;
  const TargetSpec& target;
  std::string toolchain;  // "clang 19.1.7"
  const std::vector<ConstantArtifact>& constants;
  std::vector<std::string> members;         // object names in archive order
  std::vector<std::string> shared_kernels;  // symbols
};

// Format version 1; docs/formats.md describes it.
[[nodiscard]] std::string write_manifest(const ManifestInput&);

}  // namespace byoc
