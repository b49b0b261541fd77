// Where the real models are: tests that need them skip where they are not.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/source_dir.hpp"

namespace byoc::test {

// The folder with models/ and reference/ in it: BYOC_SHARED, or `shared` beside the checkout or beside its parent.
inline std::optional<std::filesystem::path> shared_folder() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (const char* named = std::getenv("BYOC_SHARED")) {
    if (fs::is_directory(named, ignored)) return fs::path(named);
    return std::nullopt;
  }
  for (const char* up : {"..", "../.."}) {
    const fs::path folder = fs::path(source_dir()) / up / "shared";
    if (fs::is_directory(folder / "models", ignored)) return folder;
  }
  return std::nullopt;
}

// The path of models/<name>, or nullopt: then GTEST_SKIP() << kNoSharedModels.
inline std::optional<std::string> shared_model(const std::string& name) {
  const auto folder = shared_folder();
  if (!folder) return std::nullopt;
  std::error_code ignored;
  const auto path = *folder / "models" / name;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  return path.string();
}

inline constexpr char kNoSharedModels[] = "the shared models are not here; set BYOC_SHARED to their folder";

}  // namespace byoc::test
