// Runs of exported models, and of the files that compiled ones are written as for that.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "sdk/app/api/handles.hpp"
#include "sdk/app/api/host/files_run.hpp"
#include "sdk/app/api/host/graph_library_run.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/file_kind.hpp"
#include "sdk/export/exported_library.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/model_library.hpp"
#include "sdk/run/host/run_library.hpp"
#include "sdk/run/simulate/actual_outputs.hpp"
#include "sdk/run/simulate/elf_sizes.hpp"
#include "sdk/run/simulate/simulate.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace api {

bool is_of_this_machine(const TargetSpec& target) { return runtime::is_of_this_machine(target); }

Result<RunResult> run_graph_file(const std::string& path, const ModelInterface& model,
                                 std::span<const TensorBytes> inputs, const RunOptions& options, Diagnostics& diags) {
  if (!options.libraries.empty())
    return diags.error({}, options.libraries.front(), "a model that a graph executor runs is not linked with anything",
                       {}, "--executor aot");
  const auto library = runtime::open_loadable(path, {}, diags);
  auto result = library ? run_graph_library(*library, model, inputs, options, diags) : failure;
  if (!result) return failure;
  const std::vector<std::vector<std::byte>> buffers = std::move(result->outputs);
  if (!keep_actual(model, buffers, *result, diags)) return failure;
  return result;
}

}  // namespace api

using api::guarded, api::blobs_of, api::check_libraries;

struct BYOC_HIDDEN ExportedModel::Impl {
  TemporaryDirectory directory;  // of what is linked
  ExportedLibrary library;
  std::optional<runtime::Loadable> loadable;  // of this machine
};

namespace {

using runtime::Loadable;

// The model that the library holds.
Result<LibraryDescription> model_of(const Loadable& library, Diagnostics& diags) {
  std::vector<LibraryDescription> models;
  for (const ImportNode& n : library.nodes) {
    if (n.kind == ModuleKind::opaque || n.bytes.empty()) continue;
    auto model = read_manifest({reinterpret_cast<const char*>(n.bytes.data()), n.bytes.size()}, library.path, diags);
    if (!model) return failure;
    models.push_back(std::move(*model));
  }
  if (models.size() == 1) return std::move(models.front());
  if (models.empty())
    return diags.error(library.path, {}, "is a library without a model", {}, "what byoc export wrote");
  std::string names;
  for (const LibraryDescription& m : models) names += (names.empty() ? "" : ", ") + m.interface.prefix;
  return diags.error(library.path, {}, "holds several models, and one is run at a time", names, "the library of one");
}

// True if an archive has nothing for loaders. A damaged archive is reported by its reader.
bool is_device_tar(const std::string& path) {
  Diagnostics ignored;
  const auto document = kind_of_file(path) == FileKind::tar ? read_model_library(path, ignored) : failure;
  return document && std::any_of(document->modules.begin(), document->modules.end(),
                                 [](const MlfModule& m) { return m.ours && !m.loadable; });
}

Result<ExportedModel::Impl> open_device(const std::string& path, std::span<const LibraryObject> objects,
                                        const std::string& target, TemporaryDirectory directory, Diagnostics& diags) {
  auto library = open_for_device(path, objects, target, directory.path(), diags);
  if (!library) return failure;
  return ExportedModel::Impl{std::move(directory), std::move(*library), std::nullopt};
}

// Opens a .a, .o or .tar.
Result<ExportedModel::Impl> open_objects(const std::string& path, const std::string& target,
                                         TemporaryDirectory directory, Diagnostics& diags) {
  if (is_device_tar(path)) return open_device(path, {}, target, std::move(directory), diags);
  auto loadable = runtime::read_library(path, target, diags);
  if (!loadable) return failure;
  if (loadable->nodes.empty()) return open_device(path, loadable->parts.objects, target, std::move(directory), diags);
  auto model = model_of(*loadable, diags);
  if (!model) return failure;
  auto spec = target.empty() ? known_target(model->target.name, path, diags) : resolve_target(target, diags);
  if (!spec) return failure;
  ExportedLibrary library{std::move(*spec), std::move(model->interface), {}, model->link_libraries, model->executor};
  if (runtime::is_of_this_machine(library.target))
    return ExportedModel::Impl{std::move(directory), std::move(library), std::move(*loadable)};
  library.library = directory.path() + "/model.o";
  if (!runtime::link_object(*loadable, library.library, diags)) return failure;
  return ExportedModel::Impl{std::move(directory), std::move(library), std::nullopt};
}

// A file that this machine can load is loaded.
Result<ExportedModel::Impl> open_any(const std::string& path, const std::string& target, Diagnostics& diags) {
  auto directory = TemporaryDirectory::create(diags);
  if (!directory) return failure;
  const FileKind kind = kind_of_file(path);
  if (kind != FileKind::folder && kind != FileKind::shared_library && kind != FileKind::missing)
    return open_objects(path, target, std::move(*directory), diags);
  auto library = open_exported(path, target, directory->path(), diags);
  if (!library) return failure;
  ExportedModel::Impl out{std::move(*directory), std::move(*library), std::nullopt};
  if (!runtime::is_of_this_machine(out.library.target)) return out;
  auto loadable = runtime::read_library(kind == FileKind::folder ? out.library.library : path, {}, diags);
  if (!loadable) return failure;
  loadable->path = path;
  out.loadable.emplace(std::move(*loadable));
  return out;
}

Result<RunResult> run_loaded(Loadable& loadable, const ExportedLibrary& library, std::span<const Blob> inputs,
                             const RunOptions& options, Diagnostics& diags) {
  if (!runtime::check_loadable(loadable, diags) || !runtime::link(loadable, options.libraries, diags)) return failure;
  auto result =
      runtime::run_library(loadable, library.interface,
                           {inputs, options.reset, options.repeat, options.timeout_seconds, options.threads}, diags);
  if (!result) return failure;
  const std::vector<std::vector<std::byte>> buffers = std::move(result->outputs);
  if (!keep_actual(library.interface, buffers, *result, diags)) return failure;
  const auto sizes = elf_sizes(loadable.image->bytes(), loadable.path, diags);
  if (!sizes) return failure;
  const ModelInterface& m = library.interface;
  result->flash = {sizes->text, sizes->rodata > m.weight_bytes ? sizes->rodata - m.weight_bytes : 0, sizes->data,
                   m.weight_bytes};
  result->ram = {m.all_workspace_bytes() + m.instance_bytes, sizes->data, sizes->bss, result->ram.stack};
  return result;
}

}  // namespace

ExportedModel::ExportedModel(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<ExportedModel> ExportedModel::open(const std::string& path, const std::string& target, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<ExportedModel> {
    auto impl = open_any(path, target, diags);
    if (!impl) return failure;
    return ExportedModel(std::make_shared<Impl>(std::move(*impl)));
  });
}

const ModelInterface& ExportedModel::interface() const { return impl_->library.interface; }
const TargetSpec& ExportedModel::target() const { return impl_->library.target; }
const std::string& ExportedModel::executor() const { return impl_->library.executor; }

Result<RunResult> ExportedModel::run(std::span<const TensorBytes> inputs, const RunOptions& options,
                                     Diagnostics& diags) const {
  return guarded(diags, [&]() -> Result<RunResult> {
    const ExportedLibrary& library = impl_->library;
    const bool is_graph = library.executor == "graph";
    if (options.cycles || options.compare || options.bisect || (!is_graph && (options.profile || options.dump)))
      return diags.error(library.library, {}, "steps and tensors of a library that was exported before are not known");
    if (library.interface.bound_bytes != 0)
      return diags.error(library.library, {}, "its weights are a file of their own, which a run would have to bind", {},
                         "the model, with --bind-weights");
    if (!check_libraries(options.libraries, diags)) return failure;
    if (is_graph)
      return api::run_graph_file(impl_->loadable ? impl_->loadable->path : library.library, library.interface, inputs,
                                 options, diags);
    const std::vector<Blob> blobs = blobs_of(inputs);
    // A shared library contains its dependencies, or a program that is linked with it has them.
    if (impl_->loadable && (options.libraries.empty() || impl_->loadable->image == nullptr))
      return run_loaded(*impl_->loadable, library, blobs, options, diags);
    if (options.repeat != 0)
      return diags.error(library.library, library.target.name, "runs are timed on this machine only");
    if (options.threads != 0)
      return diags.error(library.library, library.target.name, "threads are of runs in this process, without --link");
    return simulate({.target = library.target,
                     .model = library.interface,
                     .archive = library.library,
                     .traced_archive = {},
                     .header = {},
                     .inputs = blobs,
                     .timeout_seconds = options.timeout_seconds,
                     .reset = options.reset,
                     .libraries = options.libraries,
                     .link_libraries = library.link_libraries},
                    diags);
  });
}

}  // namespace byoc
