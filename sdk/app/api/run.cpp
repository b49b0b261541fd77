// Runs of compiled and of exported models.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "sdk/app/api/graph_run.hpp"
#include "sdk/app/api/handles.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/file_kind.hpp"
#include "sdk/export/exported_library.hpp"
#include "sdk/library/pack/companions.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/model_library.hpp"
#include "sdk/run/host/run_library.hpp"
#include "sdk/run/simulate/actual_outputs.hpp"
#include "sdk/run/simulate/bisect.hpp"
#include "sdk/run/simulate/compare.hpp"
#include "sdk/run/simulate/elf_sizes.hpp"
#include "sdk/run/simulate/simulate.hpp"
#include "sdk/run/simulate/verdicts.hpp"
#include "sdk/run/values/input.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

using api::guarded;

std::vector<Blob> blobs_of(std::span<const TensorBytes> inputs) {
  std::vector<Blob> out;
  for (const TensorBytes& t : inputs) out.push_back(Blob::view(t, nullptr));  // they outlive the run
  return out;
}

// They are for the linker, which waits for pipes.
Result<void> check_libraries(const std::vector<std::string>& libraries, Diagnostics& diags) {
  bool ok = true;
  for (const std::string& library : libraries) ok = InputFile::open(library, diags) && ok;
  return ok ? Result<void>() : failure;
}

// An object with the weights that the library binds, without the part of their file that is for tools.
Result<std::string> write_weights(const Library& library, const std::string& folder, Diagnostics& diags) {
  if (!library.weights) return std::string();
  const weights::Header& header = library.weights->header();
  std::vector<std::byte> bytes = library.weights->bytes();
  const std::uint64_t used = header.payload_offset + header.payload_bytes;
  if (bytes.size() < used) return diags.error({}, library.prefix, "its weights cannot be read to their end");
  bytes.resize(static_cast<std::size_t>(used));
  std::vector<std::byte> size(sizeof(std::uint32_t));
  for (std::size_t i = 0; i < size.size(); ++i) size[i] = static_cast<std::byte>(used >> (8 * i));
  ConstantArtifact blob{.symbol = kHarnessWeights, .bytes = Blob::own(std::move(bytes)), .align = header.align};
  ConstantArtifact count{.symbol = kHarnessWeightsBytes, .bytes = Blob::own(std::move(size))};
  const auto object = ConstantObject::create(library.target, {std::move(blob), std::move(count)}, diags);
  if (!object) return failure;
  const std::string path = folder + "/weights.o";
  OutputSet files(diags);
  if (!files.add(path, [&](int fd) { return object->write(fd); }) || !files.commit()) return failure;
  return path;
}

struct Stated {
  const ir::Graph& graph;
  std::vector<evaluate::Allowance> allowances;
};

// The region of each step, by a node that it computes.
void name_regions(const ir::Graph& graph, const Library& library, std::vector<StepVerdict>& verdicts) {
  std::map<std::string, std::string> region_of;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (const NodePlacement& p = library.partition.nodes[n]; p.codegen != kExecutor)
      region_of.emplace(graph.nodes[n].describe(), library.partition.regions[p.region].bound.region.name);
  for (StepVerdict& v : verdicts)
    for (const std::string& node : library.interface().steps[v.step].nodes)
      if (const auto at = region_of.find(node); v.region.empty() && at != region_of.end()) v.region = at->second;
}

// The library in a folder of its own, linked as it would be by a firmware.
Result<RunResult> simulate_library(const Library& library, const Stated& stated, std::span<const Blob> inputs,
                                   const RunOptions& options, Diagnostics& diags) {
  auto directory = TemporaryDirectory::create(diags);
  if (!directory) return failure;
  const std::string archive = directory->path() + "/model." + options.pack;
  if (!check_libraries(options.libraries, diags) || !write_library(library, archive, false, diags)) return failure;
  std::string traced;
  if (!library.traced_root.empty()) {
    // A traced root calls functions of the program, which a shared library does not see.
    traced = directory->path() + "/traced/model." + (options.pack == "so" ? "a" : options.pack);
    std::filesystem::create_directory(directory->path() + "/traced");
    if (!write_library(library, traced, true, diags)) return failure;
  }
  auto weights = write_weights(library, directory->path(), diags);
  if (!weights) return failure;
  const SimulateRequest request{.target = library.target,
                                .model = library.interface(),
                                .archive = archive,
                                .traced_archive = traced,
                                .header = companions_of(archive, library.prefix, false).header,
                                .inputs = {inputs.begin(), inputs.end()},
                                .profile = options.profile || options.cycles,
                                .dump = options.dump || options.compare,
                                .timeout_seconds = options.timeout_seconds,
                                .reset = options.reset,
                                .libraries = options.libraries,
                                .link_libraries = library.link_libraries,
                                .cycles = options.cycles,
                                .flash = options.flash,
                                .weights = std::move(*weights),
                                .watch = options.compare && !options.bisect};
  std::vector<StepVerdict> verdicts;
  if (options.bisect) {
    auto made = bisect(request, stated.graph, stated.allowances, evaluate::agreement_on(library.target), diags);
    if (!made) return failure;
    verdicts = std::move(*made);
    name_regions(stated.graph, library, verdicts);
  }
  const bool bad = !std::all_of(verdicts.begin(), verdicts.end(), is_good);
  Diagnostics consequences;
  auto result = simulate(request, bad ? consequences : diags);
  if (!result && !bad) return failure;
  if (!result) result = RunResult();  // steps that do not do what they should are what is wrong: no figures
  result->verdicts = std::move(verdicts);
  return result;
}

// Runs a graph in this process, which loads the library.
Result<RunResult> load_and_run_graph(const std::string& path, const ModelInterface& model,
                                     std::span<const TensorBytes> inputs, const RunOptions& options,
                                     Diagnostics& diags) {
  if (!options.libraries.empty())
    return diags.error({}, options.libraries.front(), "a model that a graph executor runs is not linked with anything",
                       {}, "--executor aot");
  const auto root = load_module(path, {}, diags);
  auto result = root ? api::run_graph(*root, model, inputs, options, diags) : failure;
  if (!result) return failure;
  const std::vector<std::vector<std::byte>> buffers = std::move(result->outputs);
  if (!keep_actual(model, buffers, *result, diags)) return failure;
  return result;
}

Result<RunResult> run_compiled_graph(const Library& library, std::span<const TensorBytes> inputs,
                                     const RunOptions& options, Diagnostics& diags) {
  auto directory = TemporaryDirectory::create(diags);
  const std::string path = directory ? directory->path() + "/model.so" : "";
  if (!directory || !write_library(library, path, false, diags)) return failure;
  return load_and_run_graph(path, library.interface(), inputs, options, diags);
}

// In a library that this process loads: so are those that were exported before.
Result<RunResult> run_with_threads(const Library& library, std::span<const TensorBytes> inputs,
                                   const RunOptions& options, Diagnostics& diags) {
  auto directory = TemporaryDirectory::create(diags);
  const std::string path = directory ? directory->path() + "/model." + options.pack : "";
  if (!directory || !write_library(library, path, false, diags)) return failure;
  const auto exported = ExportedModel::open(path, {}, diags);
  return exported ? exported->run(inputs, options, diags) : failure;
}

std::vector<std::string> statements(const Partition& partition) {
  std::set<std::string> out;
  const auto add = [&](const std::vector<NodePlacement>& nodes) {
    for (const NodePlacement& n : nodes)
      if (n.closeness.exactness != codegen::Exactness::exact) out.insert(to_string(n.closeness));
  };
  add(partition.nodes);
  for (const auto& [graph, nodes] : partition.bodies) add(nodes);
  return {out.begin(), out.end()};
}

Result<RunComparison> compare(const ir::Graph& graph, const Library& library, std::span<const Blob> inputs, bool reset,
                              const std::vector<DumpedTensor>& dumps, Diagnostics& diags) {
  const std::size_t runs = run_count(library.interface(), inputs.size());
  const auto compared =
      compare_with_evaluator(graph, stated(graph, library.partition), evaluate::agreement_on(library.target), inputs,
                             runs, reset, dumps, diags);
  if (!compared) return failure;
  RunComparison out{runs, compared->tensors, compared->exact, statements(library.partition), std::nullopt};
  out.taken = compared->taken;
  if (const auto& d = compared->difference)
    out.difference = {compared->run,         graph.values[d->value].name, graph.nodes[d->node].describe(),
                      to_string(d->allowed), d->mismatch.element,         d->mismatch.count,
                      d->mismatch.elements,  d->mismatch.found,           d->mismatch.expected};
  return out;
}

}  // namespace

Result<RunResult> CompiledModel::run(std::span<const TensorBytes> inputs, const RunOptions& options,
                                     Diagnostics& diags) const {
  return guarded(diags, [&]() -> Result<RunResult> {
    const Library& library = impl_->library;
    const std::vector<Blob> blobs = blobs_of(inputs);
    const bool watched = options.profile || options.cycles || options.dump || options.compare || options.bisect;
    if (watched && library.traced_root.empty())
      return diags.error({}, library.prefix, "the model was compiled without ExportRequest::trace");
    const bool is_graph = api::has_graph(library.tree);
    if (options.threads != 0 && (watched || !runtime::is_of_this_machine(library.target)))
      return diags.error({}, library.prefix, "threads are of runs on this machine that nobody watches");
    if (is_graph && options.bisect)
      return diags.error({}, library.prefix, "steps are given values one by one in a program around them", "graph",
                         "the executor aot");
    const ir::Graph& graph = graph_of(library.partition, impl_->model.impl().graph);
    if (options.threads != 0 && !is_graph) return run_with_threads(library, inputs, options, diags);
    auto result = is_graph
                      ? run_compiled_graph(library, inputs, options, diags)
                      : simulate_library(library, {graph, stated(graph, library.partition)}, blobs, options, diags);
    if (!result || !options.compare || result->outputs.empty()) return result;
    auto comparison = compare(graph, library, blobs, options.reset, result->dumps, diags);
    if (!check_unchanged(graph.files, diags) || !comparison) return failure;
    result->comparison = std::move(*comparison);
    return result;
  });
}

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

bool ExportedModel::is_one(const std::string& path) { return is_exported(path); }

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
      return load_and_run_graph(impl_->loadable ? impl_->loadable->path : library.library, library.interface, inputs,
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

Result<TensorBytes> read_tensor(const std::string& path, const IoTensor& input, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<TensorBytes> {
    const auto blob = read_input(path, input, diags);
    if (!blob) return failure;
    return TensorBytes(blob->bytes().begin(), blob->bytes().end());
  });
}

}  // namespace byoc
