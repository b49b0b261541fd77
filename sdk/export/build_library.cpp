#include "sdk/export/build_library.hpp"

#include <algorithm>

#include "sdk/base/support/sha256.hpp"
#include "sdk/export/bind_constants.hpp"
#include "sdk/export/compile_package.hpp"
#include "sdk/export/describe.hpp"
#include "sdk/export/export_files.hpp"
#include "sdk/export/flash_use.hpp"
#include "sdk/export/generate.hpp"
#include "sdk/export/kernel_names.hpp"
#include "sdk/export/module_tree.hpp"
#include "sdk/export/optimisation_levels.hpp"
#include "sdk/export/source_package.hpp"
#include "sdk/export/stack_bound.hpp"
#include "sdk/export/vendor_artifacts.hpp"
#include "sdk/program/executor/executor.hpp"
#include "sdk/program/executor/header_facts.hpp"
#include "sdk/program/executor/interface.hpp"
#include "sdk/program/executor/internal_header.hpp"
#include "sdk/target/target/source_target.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

// The constants that the program itself reads.
std::map<std::string, Blob> constants_of_program(const Planned& planned) {
  std::map<std::string, Blob> out;
  const auto& read = planned.program.constants;
  for (const ConstantArtifact& c : planned.compilation.constants)
    if (std::find(read.begin(), read.end(), c.symbol) != read.end()) out.emplace(c.symbol, c.bytes);
  return out;
}

// The memory that a caller gives the model is enough for each of its levels.
ModelInterface with_levels(ModelInterface m, std::span<const executor::Level> levels) {
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

// Calls of the root over plain code; a library of several levels, or one without code of its own, has no bound.
Result<StackBound> stack_of(const Library& library, const Execution& execution, Diagnostics& diags) {
  if (makes_sources(library.target) || !execution.levels.empty()) return StackBound();
  return stack_bound(library, diags);
}

// Checking is a stage of its own where something bounds the flash: its errors are of a library that is too large.
Result<LibraryFlash> check_pools(const Job& job, const Library& library, Diagnostics& diags) {
  if (makes_sources(library.target)) return LibraryFlash();
  const bool bounded = bounds_flash(library.target);
  if (bounded && !begin_stage("fit", job, diags)) return failure;
  const auto need = flash_need(library, diags);
  if (!need || (bounded && !check_flash(*need, library.target, job.model_file, diags))) return failure;
  return total_of(*need);
}

}  // namespace

Result<Library> build_library(const LibraryParts& parts, std::future<std::string> sha256, Diagnostics& diags) {
  const auto& [model, planned, names, job, execution] = parts;
  const plugin::Compilation& compilation = planned.compilation;
  // How far constants reach decides how all code is compiled.
  Library out;
  out.target = for_constants(job.target, constant_bytes(compilation));
  auto compiler = make_compiler(job, out.target, diags);
  if (!compiler) return failure;
  const auto levels = optimisation_levels(
      job.request.objective, job.request.opt_level,
      job.request.compiler.toolchain.empty() ? out.target.default_toolchain : job.request.compiler.toolchain);
  const auto level_of = kernel_levels(levels, compilation);
  const std::set<std::string> built_in = built_in_codegens(job.codegens);
  const auto symbols = read_module_symbols(compilation, built_in, job.limits, diags);
  if (!symbols) return failure;
  const auto kernel_names = name_kernels(compilation, *symbols, [&](const std::string& symbol) {
    return toolchain_fingerprint(out.target, **compiler, level_of.at(symbol));
  });
  const auto renamed = rename_in_modules(compilation, *symbols, kernel_names, built_in, job.limits, diags);
  if (!renamed) return failure;
  const std::string model_sha256 = sha256.valid() ? sha256.get() : "";
  if (model_sha256.empty() && !job.model_file.empty())
    return diags.error(job.model_file, {}, "cannot be read to its end");
  // A file of weights says itself which model it is of.
  const std::string id = execution.bind_constants ? std::string() : model_sha256;
  const executor::IoNames io_names{job.request.names.inputs, job.request.names.outputs};
  ModelInterface interface = executor::interface_of(planned.program, names.prefix, io_names);
  if (!executor::check_io_names(interface, io_names, diags)) return failure;
  interface = with_levels(std::move(interface), execution.levels);
  std::optional<BoundConstants> bound;
  if (execution.bind_constants) {
    auto made = bind_constants(compilation, planned.program, names.prefix, diags);
    if (!made) return failure;
    bound = std::move(*made);
    interface.bound_bytes = bound->bytes;
  }
  // A step table is of addresses, which bound constants do not have.
  const bool step_table = execution.step_table && !job.request.compiler.lto && !bound;
  const auto printed = execution.executor.print({.program = planned.program,
                                                 .model = interface,
                                                 .target = out.target,
                                                 .header = names.header,
                                                 .internal_header = names.internal_header,
                                                 .step_table = step_table,
                                                 .constants = constants_of_program(planned),
                                                 .bound = bound ? &*bound : nullptr,
                                                 .hooks = job.request.steps.hooks || !job.request.steps.taps.empty(),
                                                 .taps = job.request.steps.taps,
                                                 .resumable = job.request.steps.resumable,
                                                 .trace = job.request.trace,
                                                 .levels = execution.levels,
                                                 .id = makes_sources(out.target) ? std::string() : id},
                                                diags);
  if (!printed) return failure;
  const executor::InternalHeader internal_header =
      executor::internal_header(*model.graph, compilation, names.prefix, kernel_names, bound ? &*bound : nullptr,
                                execution.open == nullptr ? nullptr : &execution.open->graph);

  ModelTree made = make_module_tree({.compilation = compilation,
                                     .printed = *printed,
                                     .internal_header = internal_header.text,
                                     .names = names,
                                     .target = out.target,
                                     .kernel_names = kernel_names,
                                     .renamed_modules = *renamed,
                                     .kernel_levels = level_of,
                                     .levels = levels,
                                     .built_in = built_in,
                                     .lto = job.request.compiler.lto,
                                     .kernel_objects = job.kernel_objects});
  const bool sources = makes_sources(out.target);
  if (sources && !constants_to_source(made.tree, {names.prefix, names.header, names.internal_header},
                                      job.request.encoding.form, diags))
    return failure;
  auto added = compile_added_files(job, out.target, out.files_read, diags);
  if (!added) return failure;
  FutureConstants constants = lay_out_constants(made.tree, out.target, job.request.encoding);
  for (Module& m : *added) add_module(made.tree, std::move(m));
  for (const executor::Level& level : execution.levels)
    add_module(made.tree,
               {.content = ElfObject{}, .name = level.interface.prefix, .bytes = Blob::view(level.object, nullptr)});
  out.prefix = names.prefix;
  out.tree = std::move(made.tree);
  out.link_libraries = std::move(made.link_libraries);
  out.header_name = names.header;
  out.header = printed->header;
  out.example_main = printed->example_main;
  // Nothing is compiled before the user has all sources.
  if (job.generated && !job.generated(uncompiled(out))) return failure;
  auto compiled = sources ? Result<CompiledPackage>(CompiledPackage{source_members(out.tree), {}})
                          : compile_package({.tree = out.tree,
                                             .target = out.target,
                                             .graph = *model.graph,
                                             .compilation = compilation,
                                             .prototypes = internal_header.prototypes,
                                             .kernel_names = kernel_names,
                                             .traced = printed->traced},
                                            **compiler, std::move(constants), job, diags);
  if (!compiled) return failure;
  out.members = std::move(compiled->members);
  out.traced_root = std::move(compiled->traced_root);

  if (!begin_stage("verify", job, diags)) return failure;
  if (!sources && (!check_definitions(*model.graph, compilation, out.members, diags) ||
                   !check_clashes(out.tree, out.members, built_in_codegens(job.codegens), diags)))
    return failure;
  const auto flash = check_pools(job, out, diags);
  auto stack = flash ? stack_of(out, execution, diags) : failure;
  if (!stack) return failure;
  out.header = executor::header_with(*printed, names.prefix, {*stack, id});
  out.tree.headers[names.header] = out.header;
  std::vector<CodegenOrigin> origins = job.origins;
  if (!identify_origins(origins, diags)) return failure;
  if (const std::string stay = bound ? constants_that_stay(compilation) : ""; !stay.empty())
    diags.warning({}, "--weights-blob", "constants stay in the library, for their code has their addresses", stay);
  if (bound && !add_weights(std::move(*bound), model_sha256, job.request.weights, interface, out, diags))
    return failure;
  for (std::string& file : (*compiler)->all_files_read()) out.files_read.push_back(std::move(file));
  out.description = describe_library(out, {.interface = describe_model(std::move(interface), model),
                                           .kernel_names = kernel_names,
                                           .toolchain = (*compiler)->identity(),
                                           .licences = std::move(made.licences),
                                           .origins = std::move(origins),
                                           .model_sha256 = model_sha256,
                                           .flash = *flash,
                                           .stack = std::move(*stack),
                                           .executor = execution.executor.name(),
                                           .weights_layout = out.weights ? to_hex(out.weights->header().layout) : ""});
  return out;
}

}  // namespace byoc
