// The contents of a shared library that byoc wrote.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/target/module/import_tree.hpp"

namespace byoc {

// It is not loaded for that.
struct SharedLibraryContent {
  std::shared_ptr<const MappedFile> file;  // what follows points into it
  std::vector<ImportNode> modules;         // the root first
  std::string_view manifest;               // "" without a model
};

// Errors: no shared library, one without an import tree or with a damaged one.
[[nodiscard]] Result<SharedLibraryContent> read_shared_library(const std::string& path, Diagnostics& diags);

}  // namespace byoc
