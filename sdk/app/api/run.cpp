// Runs of compiled models.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "byoc/vm.hpp"
#include "sdk/app/api/handles.hpp"
#include "sdk/app/api/host/files_run.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/export/executors.hpp"
#include "sdk/export/exported_library.hpp"
#include "sdk/library/pack/companions.hpp"
#include "sdk/model/ir/kind.hpp"
#include "sdk/run/simulate/bisect.hpp"
#include "sdk/run/simulate/compare.hpp"
#include "sdk/run/simulate/simulate.hpp"
#include "sdk/run/simulate/verdicts.hpp"
#include "sdk/run/values/input.hpp"
#include "sdk/target/module/import_tree.hpp"
#include "sdk/target/target/source_target.hpp"

namespace byoc {
namespace {

using api::guarded, api::blobs_of, api::check_libraries;

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
      region_of.emplace(ir::describe_kind(graph, graph.nodes[n]),
                        library.partition.regions[p.region].bound.region.name);
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

// A library in a folder that is there as long as this is.
struct WrittenLibrary {
  TemporaryDirectory folder;
  std::string path;
};

Result<WrittenLibrary> write_for_a_run(const Library& library, const std::string& form, Diagnostics& diags) {
  auto folder = TemporaryDirectory::create(diags);
  if (!folder) return failure;
  std::string path = folder->path() + "/model." + form;
  if (!write_library(library, path, false, diags)) return failure;
  return WrittenLibrary{std::move(*folder), std::move(path)};
}

Result<RunResult> run_compiled_graph(const Library& library, std::span<const TensorBytes> inputs,
                                     const RunOptions& options, Diagnostics& diags) {
  const auto written = write_for_a_run(library, "so", diags);
  if (!written) return failure;
  return api::run_graph_file(written->path, library.interface(), inputs, options, diags);
}

// In a library that this process loads: so are those that were exported before.
Result<RunResult> run_with_threads(const Library& library, std::span<const TensorBytes> inputs,
                                   const RunOptions& options, Diagnostics& diags) {
  const auto written = write_for_a_run(library, options.pack, diags);
  const auto exported = written ? ExportedModel::open(written->path, {}, diags) : failure;
  return exported ? exported->run(inputs, options, diags) : failure;
}

// Whether what the tree becomes is run by a graph executor.
bool has_graph(const ModuleTree& tree) {
  return std::any_of(tree.modules.begin(), tree.modules.end(),
                     [](const Module& m) { return m.kind() == ModuleKind::opaque && m.loader() == kGraphLoader; });
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
  out.outputs = compared->outputs;
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
    if (makes_sources(library.target))
      return diags.error({}, library.target.name, "a library of sources is not run here", {},
                         "a target with a machine, such as host");
    const std::vector<Blob> blobs = blobs_of(inputs);
    const bool watched = options.profile || options.cycles || options.dump || options.compare || options.bisect;
    if (watched && library.traced_root.empty())
      return diags.error({}, library.prefix, "the model was compiled without ExportRequest::trace");
    const bool is_graph = has_graph(library.tree);
    if (options.threads != 0 && (watched || !api::is_of_this_machine(library.target)))
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

bool ExportedModel::is_one(const std::string& path) { return is_exported(path); }

bool executor_interprets(const std::string& name) {
  if (name == "interpreted") return true;
  for (const executor::Executor* e : executor::executors())
    if (e->name() == name) return e->interprets();
  return false;
}

Result<TensorBytes> read_tensor(const std::string& path, const IoTensor& input, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<TensorBytes> {
    const auto blob = read_input(path, input, diags);
    if (!blob) return failure;
    return TensorBytes(blob->bytes().begin(), blob->bytes().end());
  });
}

}  // namespace byoc
