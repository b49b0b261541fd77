#include "sdk/export/exported_library.hpp"

#include <filesystem>
#include <set>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/file_kind.hpp"
#include "sdk/export/pack_tree.hpp"
#include "sdk/library/object/image_symbol.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/library/pack/companions.hpp"
#include "sdk/library/pack/folder.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/model_library_package.hpp"
#include "sdk/library/pack/shared_library_content.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

Failure no_model(const std::string& path, Diagnostics& diags) {
  return diags.error(path, {}, "is a library without a model", {}, "what byoc export wrote");
}

Result<BuildOptions> options_for(const std::string& target, Diagnostics& diags) {
  BuildOptions options;
  if (target.empty()) return options;
  auto named = resolve_target(target, diags);
  if (!named) return failure;
  options.target = std::move(*named);
  return options;
}

Result<ExportedLibrary> open_package(Package package, const BuildOptions& options, const std::string& path,
                                     const std::string& directory, Diagnostics& diags) {
  if (!package.description) return no_model(path, diags);
  ExportedLibrary out{package.target, package.description->interface, directory + "/model.a", package.link_libraries,
                      package.description->executor};
  std::vector<Package> packages;
  packages.push_back(std::move(package));
  if (!pack_packages(std::move(packages), options, out.library, diags)) return failure;
  return out;
}

Result<ExportedLibrary> open_folder(const std::string& path, const std::string& target, const std::string& directory,
                                    Diagnostics& diags) {
  const auto options = options_for(target, diags);
  auto package = options ? read_folder(path, options->target, diags) : failure;
  return package ? open_package(std::move(*package), *options, path, directory, diags) : failure;
}

Result<ExportedLibrary> open_device_tar(const std::string& path, const std::string& target,
                                        const std::string& directory, Diagnostics& diags) {
  const auto options = options_for(target, diags);
  auto package = options ? read_model_library_package(path, options->target, diags) : failure;
  return package ? open_package(std::move(*package), *options, path, directory, diags) : failure;
}

Result<std::vector<ObjectFacts>> facts_of(std::span<const LibraryObject> objects, Diagnostics& diags) {
  std::vector<ObjectFacts> out;
  for (const LibraryObject& o : objects) {
    auto facts = read_object_facts(o.bytes, o.name, diags);
    if (!facts) return failure;
    out.push_back(std::move(*facts));
  }
  return out;
}

// Prefixes that a model of these objects may have: those of functions <prefix>_run.
std::set<std::string> prefixes_of(std::span<const ObjectFacts> objects) {
  constexpr std::string_view kRun = "_run";
  std::set<std::string> out;
  for (const ObjectFacts& facts : objects)
    for (const ObjectSymbol& s : facts.defined)
      if (s.function && s.name.ends_with(kRun)) out.insert(s.name.substr(0, s.name.size() - kRun.size()));
  return out;
}

// The one manifest beside the library of a model with one of these prefixes.
Result<std::string> manifest_beside(const std::string& path, const std::set<std::string>& prefixes,
                                    Diagnostics& diags) {
  if (prefixes.empty()) return no_model(path, diags);
  const std::string of_one = companions_of(path, {}, false).manifest;
  if (fs::exists(of_one)) return of_one;
  std::vector<std::string> found;
  std::string models;
  for (const std::string& prefix : prefixes) {
    const std::string file = companions_of(path, prefix, true).manifest;
    if (!fs::exists(file)) continue;
    found.push_back(file);
    models += (models.empty() ? "" : ", ") + prefix;
  }
  if (found.empty())
    return diags.error(path, {}, "says nothing of itself, and its manifest is not beside it", {}, of_one);
  if (found.size() > 1)
    return diags.error(path, {}, "holds several models, and one is run at a time", models, "the library of one");
  return found.front();
}

// Reads the manifest of a model whose functions are in the library.
Result<LibraryDescription> model_of(const std::string& manifest, const std::set<std::string>& prefixes,
                                    Diagnostics& diags) {
  const auto text = read_text(manifest, diags);
  auto model = text ? read_manifest(*text, manifest, diags) : failure;
  if (!model || prefixes.contains(model->interface.prefix)) return model;
  std::string there;
  for (const std::string& prefix : prefixes) there += (there.empty() ? "" : ", ") + prefix;
  return diags.error(manifest, "prefix", "the manifest is of another model", model->interface.prefix, there);
}

// The target that the manifest says, or the one that the user has for its name; the objects are for it.
Result<TargetSpec> target_of_objects(std::span<const LibraryObject> objects, std::span<const ObjectFacts> facts,
                                     const std::string& stated, const std::string& named, const std::string& manifest,
                                     Diagnostics& diags) {
  auto target = named.empty() ? known_target(stated, manifest, diags) : resolve_target(named, diags);
  if (!target) return failure;
  if (target->name != stated)
    return diags.error(manifest, {}, "the library is for another target", stated, target->name);
  bool ok = true;
  for (std::size_t i = 0; i < objects.size(); ++i) ok = check_object(facts[i], *target, objects[i].name, diags) && ok;
  return ok ? std::move(target) : failure;
}

Result<ExportedLibrary> open_shared(const std::string& path, const std::string& target, const std::string& directory,
                                    Diagnostics& diags) {
  auto content = read_shared_library(path, diags);
  if (!content) return failure;
  if (content->manifest.empty()) return no_model(path, diags);
  auto model = read_manifest(content->manifest, path, diags);
  if (!model) return failure;
  auto spec = target.empty() ? known_target(model->target.name, path, diags) : resolve_target(target, diags);
  auto name = shared_library_name(content->file->bytes(), path, diags);
  if (!spec || !name) return failure;
  const std::string library = directory + "/" + fs::path(name->empty() ? path : *name).filename().string();
  std::error_code failed;
  fs::create_symlink(fs::absolute(path), library, failed);
  if (failed) return diags.error(library, {}, "cannot be written: " + failed.message());
  // The library contains its dependencies already.
  return ExportedLibrary{std::move(*spec), std::move(model->interface), library, {}, std::move(model->executor)};
}

}  // namespace

Result<ExportedLibrary> open_for_device(const std::string& path, std::span<const LibraryObject> objects,
                                        const std::string& target, const std::string& directory, Diagnostics& diags) {
  if (kind_of_file(path) == FileKind::tar) return open_device_tar(path, target, directory, diags);
  const auto facts = facts_of(objects, diags);
  if (!facts) return failure;
  const std::set<std::string> prefixes = prefixes_of(*facts);
  const auto manifest = manifest_beside(path, prefixes, diags);
  auto model = manifest ? model_of(*manifest, prefixes, diags) : failure;
  if (!model) return failure;
  auto spec = target_of_objects(objects, *facts, model->target.name, target, *manifest, diags);
  if (!spec) return failure;
  return ExportedLibrary{std::move(*spec), std::move(model->interface), fs::absolute(path).string(),
                         model->link_libraries, std::move(model->executor)};
}

bool is_exported(const std::string& path) {
  for (const char* suffix : {".so", ".a", ".o", ".tar"})
    if (path.ends_with(suffix)) return true;
  return is_library(kind_of_file(path));
}

Result<ExportedLibrary> open_exported(const std::string& path, const std::string& target, const std::string& directory,
                                      Diagnostics& diags) {
  return kind_of_file(path) == FileKind::folder ? open_folder(path, target, directory, diags)
                                                : open_shared(path, target, directory, diags);
}

}  // namespace byoc
