#include "sdk/pipeline/exported_library.hpp"

#include <filesystem>

#include "sdk/module/target.hpp"
#include "sdk/object/image_symbol.hpp"
#include "sdk/pack/folder.hpp"
#include "sdk/pack/manifest.hpp"
#include "sdk/pack/shared_library_content.hpp"
#include "sdk/pipeline/pack_tree.hpp"
#include "sdk/support/file_kind.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

Failure no_model(const std::string& path, Diagnostics& diags) {
  return diags.error(path, {}, "is a library without a model", {}, "what byoc export wrote");
}

Result<ExportedLibrary> open_folder(const std::string& path, const std::string& target, const std::string& directory,
                                    Diagnostics& diags) {
  BuildOptions options;
  if (!target.empty()) {
    auto named = resolve_target(target, diags);
    if (!named) return failure;
    options.target = std::move(*named);
  }
  auto package = read_folder(path, options.target, diags);
  if (!package) return failure;
  if (package->manifest.empty()) return no_model(path, diags);
  auto model = read_manifest_model(package->manifest, path + "/" + package->prefix + ".json", diags);
  const std::vector<std::string> folders{path};
  const std::string archive = directory + "/model.a";
  if (!model || !pack_trees(folders, options, archive, diags)) return failure;
  return ExportedLibrary{package->target, std::move(model->interface), archive, package->link_libraries,
                         std::move(model->executor)};
}

Result<ExportedLibrary> open_shared(const std::string& path, const std::string& target, const std::string& directory,
                                    Diagnostics& diags) {
  auto content = read_shared_library(path, diags);
  if (!content) return failure;
  if (content->manifest.empty()) return no_model(path, diags);
  auto model = read_manifest_model(content->manifest, path, diags);
  if (!model) return failure;
  auto spec = target.empty() ? known_target(model->target, path, diags) : resolve_target(target, diags);
  auto name = shared_library_name(content->file->bytes(), path, diags);
  if (!spec || !name) return failure;
  const std::string library = directory + "/" + fs::path(name->empty() ? path : *name).filename().string();
  std::error_code failed;
  fs::create_symlink(fs::absolute(path), library, failed);
  if (failed) return diags.error(library, {}, "cannot be written: " + failed.message());
  // What it needs is in the library already.
  return ExportedLibrary{std::move(*spec), std::move(model->interface), library, {}, std::move(model->executor)};
}

}  // namespace

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
