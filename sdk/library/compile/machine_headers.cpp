#include "sdk/library/compile/machine_headers.hpp"

#include <algorithm>
#include <filesystem>

namespace byoc::compile {
namespace {

std::string find_bundled_root() {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  const std::filesystem::path root = program.parent_path().parent_path() / "lib/byoc/root";
  return std::filesystem::is_directory(root, failed) ? root.string() : std::string();
}

}  // namespace

const std::string& bundled_root() {
  static const std::string root = find_bundled_root();
  return root;
}

std::string resource_directory() {
  std::error_code ignored;
  const std::string bundled = bundled_root() + BYOC_CLANG_RESOURCE_DIR;
  return std::filesystem::exists(bundled, ignored) ? bundled : BYOC_CLANG_RESOURCE_DIR;
}

bool have_c_library(std::span<const std::string> folders) {
  std::error_code ignored;
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& d) { return std::filesystem::exists(d + "/string.h", ignored); });
}

std::vector<std::string> c_library_folders(std::span<const std::string> folders, const std::string& root) {
  std::vector<std::string> own(folders.begin(), folders.end());
  if (root.empty() || have_c_library(own)) return own;
  std::vector<std::string> bundled;
  for (const std::string& d : own) bundled.push_back(root + d);
  return have_c_library(bundled) ? bundled : own;
}

std::vector<std::string> c_library_folders(const TargetSpec& target) {
  return c_library_folders(target.include_dirs, bundled_root());
}

}  // namespace byoc::compile
