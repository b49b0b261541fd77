#include "sdk/pipeline/export.hpp"

#include <algorithm>
#include <future>

#include "sdk/executor/executor.hpp"
#include "sdk/executor/interface.hpp"
#include "sdk/executor/internal_header.hpp"
#include "sdk/executor/vm/late_constants.hpp"
#include "sdk/module/target.hpp"
#include "sdk/object/file_hash.hpp"
#include "sdk/pack/folder.hpp"
#include "sdk/pack/write_package.hpp"
#include "sdk/partition/place.hpp"
#include "sdk/pipeline/bind_constants.hpp"
#include "sdk/pipeline/compile_package.hpp"
#include "sdk/pipeline/describe.hpp"
#include "sdk/pipeline/fit_memory.hpp"
#include "sdk/pipeline/generate.hpp"
#include "sdk/pipeline/islands.hpp"
#include "sdk/pipeline/kernel_names.hpp"
#include "sdk/pipeline/module_tree.hpp"
#include "sdk/pipeline/neutral_names.hpp"
#include "sdk/pipeline/optimisation_levels.hpp"
#include "sdk/pipeline/vendor_artifacts.hpp"
#include "sdk/plan/open_calls.hpp"
#include "sdk/weights/describe.hpp"

namespace byoc {
namespace {

// Error: the user wants to stop.
Result<void> begin(std::string_view stage, const ExportOptions& options, Diagnostics& diags) {
  if (!check_cancelled(options, diags)) return failure;
  if (options.progress) options.progress(stage);
  return {};
}

// codegen, plan.
Result<Planned> generate_and_plan(const optimise::Optimised& model, const ExportNames& names,
                                  const ExportOptions& options, Diagnostics& diags) {
  const auto& regions = model.partition.regions;
  const bool can_save = std::any_of(regions.begin(), regions.end(),
                                    [&](const PlacedRegion& r) { return options.codegens[r.codegen]->saves_memory(); });
  const GenerateRequest request{model,
                                options.codegens,
                                options.target,
                                options.objective,
                                names,
                                options.printer->name(),
                                !options.weights.file.empty(),
                                options.lowered};
  const auto attempt = [&](std::uint64_t budget, std::uint32_t n, Diagnostics& told) -> Result<Planned> {
    if (!begin("codegen", options, told)) return failure;
    auto compilation = generate(request, budget, n, told);
    if (!compilation || !begin("plan", options, told)) return failure;
    auto program = plan::make_program(*model.graph, *compilation, options.target, told, options.reuse_inputs);
    if (!program) return failure;
    if (options.lowered != nullptr) {
      auto open = plan::open_calls(options.lowered->open, *compilation, told);
      if (!open) return failure;
      program->open = std::move(*open);
    }
    return Planned{std::move(*compilation), std::move(*program)};
  };
  return fit_memory(*model.graph, {options.target, options.max_ram, can_save}, attempt, diags);
}

// The constants that the program itself reads.
std::map<std::string, Blob> constants_of_program(const Planned& planned) {
  std::map<std::string, Blob> out;
  const auto& read = planned.program.constants;
  for (const plugin::ConstantArtifact& c : planned.compilation.constants)
    if (std::find(read.begin(), read.end(), c.decl.symbol) != read.end()) out.emplace(c.decl.symbol, c.bytes);
  return out;
}

// Sizes of the caller's buffers that are enough for every level of the model.
ModelInterface with_levels(ModelInterface m, const std::vector<executor::Level>& levels) {
  for (const executor::Level& level : levels) {
    const ModelInterface& own = level.interface;
    m.workspace_bytes = std::max(m.workspace_bytes, own.workspace_bytes);
    m.workspace_align = std::max(m.workspace_align, own.workspace_align);
    m.instance_bytes = std::max(m.instance_bytes, own.instance_bytes);
    m.instance_align = std::max(m.instance_align, own.instance_align);
    for (const std::string& d : own.devices)
      if (std::find(m.devices.begin(), m.devices.end(), d) == m.devices.end()) m.devices.push_back(d);
  }
  return m;
}

// The file of the constants that leave the library, or its bytecode.
Result<void> make_weights(BoundConstants bound, const std::string& model_sha256, const WeightsOptions& weights,
                          Library& out, Diagnostics& diags) {
  auto made =
      weights::WeightsFile::make(std::move(bound), {out.prefix, model_sha256, weights.key, weights.sequence}, diags);
  if (!made) return failure;
  out.weights = std::make_shared<const weights::WeightsFile>(std::move(*made));
  return {};
}

// A message about a file "x of codegen 'y'" gets the prefix of all messages about a codegen.
Diagnostic with_prefix(Diagnostic d) {
  constexpr std::string_view kOf = " of codegen '";
  const std::size_t at = d.file.rfind(kOf);
  if (at == std::string::npos || !d.file.ends_with('\'')) return d;
  d.message = d.file.substr(at + 4) + ": " + d.message;
  d.file.resize(at);
  if (d.file.size() > 2 && d.file.front() == '\'' && d.file.back() == '\'')
    d.file = d.file.substr(1, d.file.size() - 2);
  return d;
}

// compile, object, verify: from what the codegens made to a library. `sha256` is the model file's.
Result<Library> build_library(const optimise::Optimised& model, const Planned& planned, const ExportNames& names,
                              std::future<std::string> sha256, const ExportOptions& options, Diagnostics& diags) {
  const plugin::Compilation& compilation = planned.compilation;
  // The bytes of constants decide the code model, with which all code is compiled.
  Library out;
  out.target = for_constants(options.target, constant_bytes(compilation));
  auto compiler = make_compiler(options, out.target, diags);
  if (!compiler) return failure;
  const auto levels = optimisation_levels(
      options.objective, options.opt_level,
      options.compiler.toolchain.empty() ? out.target.default_toolchain : options.compiler.toolchain);
  const auto level_of = kernel_levels(levels, compilation);
  const std::set<std::string> built_in = built_in_codegens(options.codegens);
  const auto symbols = read_module_symbols(compilation, built_in, options.limits, diags);
  if (!symbols) return failure;
  const auto kernel_names = name_kernels(compilation, *symbols, [&](const std::string& symbol) {
    return toolchain_fingerprint(out.target, **compiler, level_of.at(symbol));
  });
  const auto renamed = rename_in_modules(compilation, *symbols, kernel_names, built_in, options.limits, diags);
  if (!renamed) return failure;
  ModelInterface interface = executor::interface_of(planned.program, names.prefix);
  interface = with_levels(std::move(interface), options.levels);
  std::optional<BoundConstants> bound;
  if (!options.weights.file.empty()) {
    auto made = bind_constants(compilation, names.prefix, diags);
    if (!made) return failure;
    bound = std::move(*made);
    interface.bound_bytes = bound->bytes;
  }
  // A step table is of addresses, which bound constants do not have.
  const bool step_table = options.step_table && !options.compiler.lto && !bound;
  const auto printed = options.printer->print(
      {planned.program, interface, out.target, names.header, names.internal_header, step_table,
       constants_of_program(planned), bound ? &*bound : nullptr, options.profile_hook || !options.taps.empty(),
       options.taps, options.lowered, options.trace, options.levels},
      diags);
  if (!printed) return failure;
  const std::string internal_header =
      executor::internal_header(*model.graph, compilation, names.prefix, kernel_names, bound ? &*bound : nullptr,
                                options.lowered == nullptr ? nullptr : &options.lowered->open);

  ModelTree made = make_module_tree({compilation, *printed, internal_header, names, out.target, kernel_names, *renamed,
                                     level_of, levels, built_in, options.compiler.lto, options.kernel_objects});
  const bool workers = has_workers(made.tree, built_in) || options.compiler.lto || !options.add_files.empty();
  if (workers && sha256.valid()) sha256.wait();
  auto added = compile_added_files(options, out.target, out.files_read, diags);
  if (!added) return failure;
  FutureConstants constants = lay_out_constants(made.tree, out.target, options.encoding, workers);
  for (Module& m : *added) add_module(made.tree, std::move(m));
  for (std::size_t i = 0; i < options.levels.size(); ++i)
    add_module(made.tree, {.kind = ModuleKind::object,
                           .name = options.levels[i].interface.prefix,
                           .bytes = Blob::view(options.level_objects[i], nullptr)});
  out.prefix = names.prefix;
  out.tree = std::move(made.tree);
  out.link_libraries = std::move(made.link_libraries);
  out.header_name = names.header;
  out.header = printed->header;
  out.example_main = printed->example_main;
  // The user gets all sources before anything is compiled.
  if (options.generated && !options.generated(uncompiled(out))) return failure;
  auto compiled =
      compile_package({out.tree, out.target, *model.graph, compilation, internal_header, kernel_names, printed->traced},
                      **compiler, std::move(constants), options, diags);
  if (!compiled) return failure;
  out.members = std::move(compiled->members);
  out.traced_root = std::move(compiled->traced_root);

  if (!begin("verify", options, diags) || !check_definitions(*model.graph, compilation, out.members, diags) ||
      !check_clashes(out.tree, out.members, built_in_codegens(options.codegens), diags))
    return failure;
  const std::string model_sha256 = sha256.valid() ? sha256.get() : "";
  if (model_sha256.empty() && !options.model_file.empty())
    return diags.error(options.model_file, {}, "cannot be read to its end");
  std::vector<CodegenOrigin> origins = options.origins;
  if (!identify_origins(origins, diags)) return failure;
  if (const std::string stay = bound ? constants_that_stay(compilation) : ""; !stay.empty())
    diags.warning({}, "--weights-blob", "constants stay in the library, for their code has their addresses", stay);
  if (bound && !make_weights(std::move(*bound), model_sha256, options.weights, out, diags)) return failure;
  out.interface = describe_model(interface, model);
  for (std::string& file : (*compiler)->all_files_read()) out.files_read.push_back(std::move(file));
  out.manifest = describe_library(
      out, {out.interface, kernel_names, (*compiler)->identity(), std::move(made.licences), std::move(origins),
            model_sha256, options.printer->name(), out.weights ? weights::hex_of(out.weights->header().layout) : ""});
  return out;
}

Result<Library> build(const optimise::Optimised& model, const Planned& planned, const ExportNames& names,
                      std::future<std::string> sha256, const ExportOptions& options, Diagnostics& diags) {
  Diagnostics own;
  auto library = build_library(model, planned, names, std::move(sha256), options, own);
  for (const Diagnostic& d : own.all()) diags.add(with_prefix(d));
  return library;
}

std::vector<FileStamp> inputs_of(const ir::Graph& graph, const ExportOptions& options) {
  std::vector<FileStamp> out = graph.files;
  std::vector<std::string> further = options.add_files;
  if (options.compiler.toolchain.ends_with(".json")) further.push_back(options.compiler.toolchain);
  for (const CodegenOrigin& o : options.origins) further.push_back(o.file);
  for (FileStamp& stamp : stamps_of(further)) out.push_back(std::move(stamp));
  return out;
}

// For an executor that interprets: compiles the static parts as one graph, and puts the rest beside it.
Result<Library> compile_islands(const ir::Graph& graph, ExportOptions options, Diagnostics& diags) {
  if (!options.target.hosted)
    return diags.error({}, "--executor " + options.printer->name(), "interprets, which is for hosts",
                       "'" + options.target.name + "', which has no operating system", "a target with one, or aot");
  auto islands = make_islands(graph, options, diags);
  if (!islands) return failure;
  const WeightsOptions weights = std::exchange(options.weights, {});
  BoundConstants bound;
  if (!weights.file.empty()) bound = executor::detach_constants(islands->lowered.module, weights.least);
  if (!weights.file.empty() && bound.constants.empty())
    return diags.error({}, "--weights-blob", "no constant of the model can leave the bytecode",
                       "none of " + std::to_string(weights.least) + " bytes or more in what is interpreted");
  options.lowered = &islands->lowered;
  // Later messages about regions refer to this graph.
  const auto compiled = std::make_shared<const ir::Graph>(std::move(islands->lowered.compiled));
  // Pins of what is not in this graph have been heeded.
  std::erase_if(options.partition.pins,
                [&](const Pin& pin) { return !fits(pin, *compiled) && fits(pin, islands->lowered.open); });
  options.step_table = true;
  options.reuse_inputs = false;  // inputs are values that others may read
  auto library = compile_model(*compiled, options, diags);
  if (!library) return failure;
  if (!weights.file.empty()) {
    const std::string sha256 = options.model_file.empty() ? "" : sha256_of_file(options.model_file);
    if (!make_weights(std::move(bound), sha256, weights, *library, diags)) return failure;
  }
  library->tree.inputs = inputs_of(graph, options);
  Partition& partition = library->partition;
  partition.interpreted = std::move(islands->interpreted);
  partition.open = std::move(islands->open);
  if (!partition.graph) partition.graph = compiled;
  return library;
}

// Beyond this point the names of the layers are unknown.
Result<Library> compile_nameless(const ir::Graph& graph, const ExportOptions& asked, Diagnostics& diags) {
  const NeutralNames names(graph, asked.name);
  ExportOptions options = asked;
  names.rename(options);
  Diagnostics own;
  auto library = compile_model(*names.graph(), options, own);
  for (const Diagnostic& d : own.all()) diags.add(names.in_own_words(d));
  if (!library) return failure;
  if (!library->partition.graph) library->partition.graph = names.graph();
  library->names_text = names.map_text();
  return library;
}

}  // namespace

Result<void> check_cancelled(const ExportOptions& options, Diagnostics& diags) {
  if (!options.cancelled || !options.cancelled()) return {};
  return diags.error({}, {}, "the export was cancelled");
}

Result<Library> compile_model(const ir::Graph& graph, const ExportOptions& asked, Diagnostics& diags) {
  if (!asked.names_map.empty()) return compile_nameless(graph, asked, diags);
  ExportOptions options = asked;
  if (options.printer == nullptr) {
    const auto found = executor::find_executor(asked.executor, diags);
    if (!found) return failure;
    options.printer = *found;
  }
  if (options.printer->interprets() && options.lowered == nullptr) return compile_islands(graph, options, diags);
  const ExportNames names = names_of(options.name);
  // Computed in parallel, because it takes seconds for a model of a gigabyte; with plug-ins it is computed on demand,
  // because their workers may be forked at any time.
  std::future<std::string> sha256;
  const bool has_plugins = built_in_codegens(options.codegens).size() != options.codegens.size();
  if (!options.model_file.empty())
    sha256 = std::async(has_plugins ? std::launch::deferred : std::launch::async,
                        [path = options.model_file] { return sha256_of_file(path); });

  // Every node has a codegen, or the model is refused here with everyone's reasons.
  if (!begin("partition", options, diags)) return failure;
  std::span<const std::size_t> elsewhere;
  if (options.lowered != nullptr) elsewhere = options.lowered->open_codegens;
  auto placed = make_partition(graph, options.codegens, options.target, options.partition, diags,
                               !options.weights.file.empty(), elsewhere);
  if (!placed) return failure;

  // Every region is its codegen's for good. Values inside may get another shape here, values at borders do not.
  if (!begin("optimise", options, diags)) return failure;
  auto model = optimise::rewrite(graph_of(*placed, graph), *placed, options.codegens, options.target,
                                 {options.no_optimise}, diags);
  if (!model) return failure;

  // Codegens are asked again where the plan does not fit and they can do with less.
  auto planned = generate_and_plan(*model, names, options, diags);
  if (!planned) return failure;

  // Beyond this point no codegen is asked, and no new symbol is added but <prefix>_run and its like.
  if (!begin("compile", options, diags)) return failure;
  auto library = build(*model, *planned, names, std::move(sha256), options, diags);
  if (!library) return failure;
  library->partition = std::move(*placed);
  library->tree.inputs = inputs_of(graph, options);
  return library;
}

Result<void> check_name(const std::string& name, Diagnostics& diags) {
  if (name.empty() || to_identifier(name) == name) return {};
  return diags.error({}, "--name", "not a C identifier", "'" + name + "'",
                     "something like '" + to_identifier(name) + "'");
}

Result<void> check_weights(const ExportRequest& request, const std::string& out, Diagnostics& diags) {
  const WeightsOptions& w = request.weights;
  if (w.file.empty()) {
    for (const auto& [option, given] :
         {std::pair("--weights-key", !w.key.empty()), std::pair("--weights-sequence", w.sequence != 0),
          std::pair("--weights-address", w.address != 0)})
      if (given)
        return diags.error({}, option, "is of weights in a file of their own, and there is none", {}, "--weights-blob");
    return {};
  }
  if (request.executor == "graph")
    return diags.error({}, "--weights-blob", "is for executors that bind constants", request.executor,
                       "aot, vm or interpreted");
  if (request.executor == "aot" && (out.ends_with(".so") || out.ends_with(".tar")))
    return diags.error(out, "--weights-blob", "loaders of this form do not bind weights", out, ".a, .o or a folder");
  if (w.address != 0 && !w.file.ends_with(".hex"))
    return diags.error(w.file, "--weights-address", "only Intel HEX has addresses", w.file, "a name that ends in .hex");
  return {};
}

Result<std::vector<OutputName>> export_outputs(const std::string& default_name, const ExportRequest& request,
                                               const std::string& out, Diagnostics& diags) {
  if (!check_name(request.name, diags)) return failure;
  const std::string prefix = request.name.empty() ? default_name : request.name;
  if (!check_weights(request, out, diags)) return failure;
  if ((request.profile_hook || !request.taps.empty()) && request.executor != "aot")
    return diags.error({}, request.profile_hook ? "--profile-hook" : "--tap", "is for the executor aot",
                       request.executor, "aot");
  auto outputs = package_outputs(out, {&prefix, 1}, request.pack, diags);
  if (outputs && !request.weights.file.empty()) outputs->push_back({request.weights.file});
  if (outputs && !request.names_map.empty()) outputs->push_back({request.names_map});
  if (outputs && !request.work_dir.empty()) outputs->push_back({request.work_dir, kTreeFile});
  return outputs;
}

Result<void> write_library(const Library& library, const std::string& out, bool traced, Diagnostics& diags) {
  if (!traced) return write_package(library, out, diags);
  Package package = library;
  package.members[0].object = library.traced_root;
  return write_package(package, out, diags);
}

}  // namespace byoc
