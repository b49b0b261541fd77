// Where real models are: the networks that the build writes (tests/networks), and those of ../shared, where it is.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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

// Cases of models of ../shared: none where it is not.
template <class Case>
[[nodiscard]] std::vector<Case> where_shared(std::vector<Case> cases) {
  if (!shared_folder()) cases.clear();
  return cases;
}

// The path of a file of the networks' folder or of ../shared/models, which are alike; nullopt where neither has it:
// then GTEST_SKIP() << kNoModel.
inline std::optional<std::string> model_file(const std::string& name) {
  const auto shared = shared_folder();
  std::error_code ignored;
  for (const auto& folder : {std::filesystem::path(networks_dir()), shared.value_or("") / "models"})
    if (std::filesystem::exists(folder / name, ignored)) return (folder / name).string();
  return std::nullopt;
}

inline constexpr char kNoModel[] = "the build has not written the networks: it needs a python3 with numpy";

}  // namespace byoc::test
