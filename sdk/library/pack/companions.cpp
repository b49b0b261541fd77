#include "sdk/library/pack/companions.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "sdk/base/support/file.hpp"
#include "sdk/library/pack/manifest.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "another name or folder for the library, or --force to replace the file";

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The library that a manifest says it belongs to; "" where it does not say one.
std::string owner_in(const std::string& manifest) {
  Diagnostics unreadable;
  const auto text = read_text(manifest, unreadable);
  return text ? manifest_library(*text) : std::string();
}

// `owner`: "" where nothing says whose the file is.
Failure refuse(const std::string& file, const std::string& owner, const std::string& out, Diagnostics& diags) {
  const std::string own = "'" + file_name(out) + "'";
  if (owner.empty())
    return diags.error(file, {}, "may be somebody else's, and is left as it is",
                       "no manifest that says that it is of " + own, kRemedy);
  return diags.error(file, {}, "belongs to another library than " + own + ", and is left as it is", "'" + owner + "'",
                     kRemedy);
}

std::string manifest_text(const Package& package, const std::string& library) {
  return package.description ? write_manifest(*package.description, library) : std::string(kEmptyManifest);
}

// The example of a package includes the header by its usual name.
std::string example_with(const Package& package, const std::string& header) {
  const std::string usual = "#include \"" + package.header_name + "\"";
  std::string out = package.example_main;
  if (const std::size_t at = out.find(usual); at != std::string::npos)
    out.replace(at, usual.size(), "#include \"" + header + "\"");
  return out;
}

}  // namespace

std::string companion(const std::string& out, const std::string& suffix, const std::string& prefix, bool several) {
  const std::string name = fs::path(out).stem().string() + (several ? "_" + prefix : "") + suffix;
  return fs::path(out).replace_filename(name).string();
}

Companions companions_of(const std::string& out, const std::string& prefix, bool several) {
  const auto named = [&](const char* suffix) { return companion(out, suffix, prefix, several); };
  return {named(".h"), named(".json"), named("_example_main.c")};
}

bool has_several_models(std::span<const std::string> prefixes) {
  return std::count_if(prefixes.begin(), prefixes.end(), [](const std::string& p) { return !p.empty(); }) > 1;
}

Result<void> check_owner(const std::string& out, const Companions& companions, bool force, Diagnostics& diags) {
  if (force) return {};
  if (is_there(companions.manifest)) {
    const std::string owner = owner_in(companions.manifest);
    if (owner == file_name(out)) return {};
    return refuse(companions.manifest, owner, out, diags);
  }
  for (const std::string& file : {companions.header, companions.example})
    if (!file.empty() && is_there(file)) return refuse(file, {}, out, diags);
  return {};
}

Result<void> check_owner_of(const std::string& out, const std::string& header, bool force, Diagnostics& diags) {
  const std::string manifest = companion(header, ".json");
  if (force || !is_there(header) || !is_there(manifest)) return {};
  const std::string owner = owner_in(manifest);
  if (owner.empty() || owner == file_name(out)) return {};
  return refuse(header, owner, out, diags);
}

Result<void> add_companions(const Package& package, const std::string& out, bool several, OutputSet& files) {
  if (package.prefix.empty()) return {};
  const Companions names = companions_of(out, package.prefix, several);
  if (!files.add(names.manifest, manifest_text(package, file_name(out))) || !files.add(names.header, package.header) ||
      !files.add(names.example, example_with(package, file_name(names.header))))
    return failure;
  return {};
}

}  // namespace byoc
