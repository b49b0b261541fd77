#include "sdk/library/pack/pack_format.hpp"

namespace byoc {

Result<PackFormat> pack_format(const std::string& path, Diagnostics& diags) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  const std::string suffix = dot == std::string::npos ? "" : name.substr(dot);
  constexpr const char* kKnown = ".a, .o, .so, .tar or a folder (name/)";
  if (path.empty()) return diags.error(path, {}, "the output has no name", {}, kKnown);
  if (name.empty() || name == "." || name == ".." || suffix.empty()) return PackFormat::folder;
  if (dot == 0) return diags.error(path, {}, "the output has no name before its suffix", name, kKnown);
  if (suffix == ".a") return PackFormat::archive;
  if (suffix == ".o") return PackFormat::relocatable;
  if (suffix == ".tar") return PackFormat::tar;
  if (suffix == ".so") return PackFormat::shared;
  const std::string folder = suffix == ".c" ? "; a folder has C sources: " + path.substr(0, path.size() - 2) + "/" : "";
  return diags.error(path, {}, "the output has an unknown suffix", suffix, kKnown + folder);
}

}  // namespace byoc
