#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "byoc/codegen.hpp"
#include "byoc/vm.hpp"
#include "sdk/app/cli/choice.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/visible_output.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/codegen/optimise/optimise.hpp"
#include "sdk/export/executors.hpp"
#include "sdk/run/simulate/flash.hpp"

namespace byoc::cli {
namespace {

constexpr std::size_t kWidest = 76;  // of a line that is written over

constexpr std::uint64_t kPluginMemory = 4096;  // MiB

// The text without control characters that would move the cursor.
std::string one_line(const std::string& text, std::size_t most) {
  std::string out = text.substr(0, most);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return out;
}

std::string executor_names() {
  std::string out;
  for (const executor::Executor* e : executor::executors()) out += (out.empty() ? "" : ", ") + e->name();
  return out;
}

void show_log(std::string_view id, std::string_view line) {
  clear_line();
  std::fprintf(stderr, "%s: %s\n", std::string(id).c_str(), one_line(std::string(line), line.size()).c_str());
}

}  // namespace

void add_compiler_options(CLI::App& command, CompilerChoice& choice) {
  const auto known = [](const std::string& name) {
    return name == "clang" || name == "gnu" || name.ends_with(".json")
               ? std::string()
               : "'" + name + "' is none of clang, gnu and a description (.json)";
  };
  command
      .add_option("--toolchain", choice.toolchain,
                  "who compiles C: clang (in process), gnu, or a description of a compiler (.json); default: the "
                  "target's")
      ->check(known);
  command.add_option("--compiler-launcher", choice.launcher,
                     "program in front of each command that compiles: ccache, sccache, distcc; clang is byoc-cc then");
  command.add_flag(
      "-g,--debug", choice.debug_info,
      "debug information in the objects; export then keeps their sources beside the library, in <name>_sources");
  command
      .add_option(
          "--cache", choice.cache,
          "folder that keeps whole exports and the objects of every module, so that what did not change is not made "
          "again")
      ->envname("BYOC_CACHE");
  command
      .add_option("--cache-limit", choice.cache_limit,
                  "bytes that this folder may take after an export, as in 2GiB; what was used least lately goes first")
      ->transform(CLI::AsSizeValue(false).description(""));
  command
      .add_option(
          "-j,--jobs", choice.jobs,
          "sources that are compiled at a time; default: the processors that there are for byoc, or what a make "
          "around it has to spare")
      ->check(CLI::Range(1U, 4096U).description(""));
  command.add_flag("--lto", choice.lto,
                   "link-time optimisation: C and LLVM modules become one before code is generated (clang)");
}

void add_constant_options(CLI::App& command, ConstantEncoding& encoding) {
  static const std::map<std::string, ConstantForm> kForms{{"elf", ConstantForm::elf},
                                                          {"incbin", ConstantForm::incbin},
                                                          {"embed", ConstantForm::embed},
                                                          {"c", ConstantForm::c},
                                                          {"llvm", ConstantForm::llvm}};
  auto* form = command
                   .add_option("--constants-as", encoding.form,
                               "what makes the object of the constants: elf (byoc itself), incbin, embed or c (the C "
                               "compiler), llvm; all give the same symbols, sections and bytes")
                   ->transform(one_of(kForms).description(""))
                   ->default_str("elf");
  command
      .add_option("--pack-imports", encoding.command,
                  "COMMAND that makes it instead: is run once, reads the list {constants}, writes the object {output}, "
                  "which is checked")
      ->excludes(form);
}

void add_opt_level(CLI::App& command, std::string& level, const std::string& default_text) {
  command.add_option("-O,--opt-level", level, "optimisation of the C and LLVM compilers; default: " + default_text)
      ->check(one_of({"0", "1", "2", "3", "s", "z"}));
}

void add_work_dir(CLI::App& command, ExportRequest& request) {
  command.add_option("--work-dir", request.work_dir,
                     "folder that gets every source, also where one does not compile, and every object");
}

Failure suggest_work_dir(const ExportRequest& request, Diagnostics& diags) {
  // "kws_npu.c:11:28" of an error of the compiler; it is nowhere but in memory.
  const auto is_cited = [](const Diagnostic& d) {
    const std::string name = d.file.substr(0, d.file.find(':'));
    std::error_code ignored;
    return d.level == Level::error && (name.ends_with(".c") || name.ends_with(".ll") || name.ends_with(".h")) &&
           !std::filesystem::exists(name, ignored);
  };
  if (request.work_dir.empty() && std::any_of(diags.all().begin(), diags.all().end(), is_cited))
    diags.add({Level::note, {}, "--work-dir", "--work-dir FOLDER keeps the sources that are cited", {}, {}});
  return failure;
}

void ModelOptions::declare(CLI::App& command) {
  static const std::map<std::string, Objective> kObjectives{
      {"balanced", Objective::balanced}, {"size", Objective::size}, {"speed", Objective::speed}};
  static const std::map<std::string, CheckSources> kCheckSources{
      {"off", CheckSources::off}, {"warn", CheckSources::warn}, {"error", CheckSources::error}};
  command.add_option("MODEL", model, "model file: ONNX, TFLite, or graph text")->required();
  command
      .add_option("-t,--target", target, "target name, description file, or option string ('byoc targets' lists names)")
      ->required();
  command.add_option(
      "--flash", flash,
      "part and clock, as l4r5@120, in whose flash constants are: kernels are chosen by how long they take "
      "to come, and --cycles of run counts it");
  add_compiler_options(command, request.compiler);
  add_opt_level(command, request.opt_level, "what --optimize asks for");
  add_constant_options(command, request.encoding);
  command.add_option("--name", request.name, "prefix of all public symbols; default: the model file's name");
  command
      .add_option("--input-names", request.names.inputs,
                  "names of the inputs in the header, in the model's order, which stay when the model's own change: "
                  "NAME,NAME ...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--output-names", request.names.outputs, "the same of the outputs")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--executor", request.executor,
                  "what runs the model's steps: " + executor_names() + ", or interpreted: no step is compiled")
      ->capture_default_str();
  command.add_option("--optimize", request.objective, "what to prefer")
      ->transform(one_of(kObjectives))
      ->default_str("balanced");
  command
      .add_option("--max-ram", request.max_ram,
                  "bytes that workspaces, instance, inputs and outputs may take together, as in 40KiB: what saves RAM "
                  "for time is done if it takes that; an error if it does not suffice")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::PositiveNumber.description(""));
  command.add_flag("--reuse-inputs", request.reuse_inputs,
                   "a run may write other values into the input buffers once it has read them");
  command.add_flag("--profile-hook", request.steps.hooks,
                   "<model>_set_hooks(): functions of the program's that are called around each step");
  command.add_flag("--resumable", request.steps.resumable,
                   "<model>_begin() and <model>_step(): a run that is left and taken up again between steps");
  command.add_option(
      "--tap", request.steps.taps,
      "STEP, a number, symbol or part of a node's name: its outputs go to a function of the program's, too; "
      "may be repeated");
  command.add_option(
      "--dim", dims,
      "bind a symbolic dimension, as in --dim N=1, or one that a TFLite model leaves open, by tensor and axis, "
      "input.1=16000; an executor that interprets takes a range of lengths of the former, too, as in "
      "--dim N=1..32; may be repeated");
  command.add_option(
      "--set", set,
      "NAME=VALUE: make a constant of an input, as in --set sample_rate=16000, of several elements 0,1,2; "
      "may be repeated");
  command.add_option("--bound", bounds,
                     "NAME=ROOM: of an input that is a sequence at most so many elements, as in --bound seq=8 or "
                     "seq=8[2,3], or exactly "
                     "these, seq=[2],[3]; of strings at most so many bytes each, label=16B; without NAME= for all "
                     "inputs that have none; "
                     "may be repeated");
  add_signature(command, signature);
  const FoldLimit fold;
  command
      .add_option("--fold-limit", fold_limit,
                  "BYTES,OPERATIONS that folding of constants may take in all, as in 2GiB,16G; 0: no limit. What goes "
                  "beyond is computed at run time, or refused")
      ->delimiter(',')
      ->expected(1, 2)
      ->transform(CLI::AsSizeValue(false).description(""))
      ->default_str(std::to_string(fold.bytes >> 30) + "GiB," + std::to_string(fold.operations >> 30) + "G");
  command.add_option(
      "--plugin", plugins.plugins,
      "plug-in to use beside the reference backend: a .so, a manifest, or the id of an installed one; may "
      "be repeated");
  command.add_option("--plugin-option", plugins.options, "ID.NAME=VALUE: an option of a plug-in; may be repeated");
  command.add_flag("--isolate", plugins.isolate,
                   "run each plug-in in a process of its own: a crash or an endless loop becomes an error");
  command
      .add_option("--plugin-timeout", plugins.seconds,
                  "seconds that a call of an isolated plug-in, or compiling a plug-in's code, may take; 0: no limit")
      ->capture_default_str();
  plugins.memory = kPluginMemory << 20;
  command
      .add_option_function<std::uint64_t>(
          "--plugin-memory", [this](std::uint64_t mib) { plugins.memory = mib << 20; },
          "MiB of memory that either may take; 0: no limit")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40))
      ->default_str(std::to_string(kPluginMemory));
  command.add_option(
      "--record", plugins.record,
      "write what byoc and the plug-in said to each other (.byocrec), also where it fails, for 'byoc replay'; "
      "the plug-in is isolated");
  command
      .add_option("--record-constants", plugins.record_constants,
                  "contents of constants up to this size go into the record, as in 64 or 1GiB; of others their hashes")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->default_str("0");
  command.add_flag_callback(
      "--plugin-log", [this] { plugins.log = show_log; }, "show what plug-ins log, on standard error");
  command
      .add_option("--check-sources", plugins.check_sources,
                  "what becomes of mutable data, heap, stdio ... in the C of a plug-in: off, warn or error")
      ->transform(one_of(kCheckSources).description(""))
      ->default_str("warn");
  command
      .add_option("--prefer", request.partition.prefer,
                  "ids of codegens, the most preferred first, or cheapest: who estimates the fewest cycles; ID,ID ...")
      ->delimiter(',');
  command.add_option("--pin", pins, "NODE=ID: sends nodes (a name with * and ?, #POSITION, op:OPERATOR) to a codegen");
  command.add_option("--max-region-nodes", request.partition.max_region_nodes, "largest region of a plug-in, in nodes");
  command.add_option("--min-region-nodes", request.partition.min_region_nodes, "smallest region of a plug-in");
  command.add_option("--max-regions", request.partition.max_regions,
                     "most regions of one plug-in; it keeps the largest");
  command.add_flag("--require-exact", request.partition.require_exact,
                   "refuse results that are exact within a tolerance only");
  std::string rewrites = "rewrites of the graph that are not made, of";
  for (const std::string_view known : optimise::rewrite_names()) rewrites += " " + std::string(known);
  command.add_option("--no-optimise", request.no_optimise, rewrites + " and all: NAME,NAME ...")->delimiter(',');
  command.add_flag("--no-lift", no_lift, "compute QDQ and QLinear operators literally");
  command.add_flag("-q,--quiet", quiet, "no progress, no summary");
}

void add_signature(CLI::App& command, std::string& signature) {
  command.add_option("--signature", signature,
                     "of a TFLite model with several: the one that is taken, under its names; default: the first "
                     "subgraph, as it is");
}

void add_durability(CLI::App& command, Durability& durability) {
  command.add_flag_callback(
      "--fsync", [&durability] { durability = Durability::power_cut; },
      "end when all outputs are on their disk, so that a power cut leaves each as it was or as it is to be");
}

void add_force(CLI::App& command, bool& force) {
  command.add_flag("--force", force,
                   "replace a header, manifest or example beside the library that belongs to another library");
}

void add_pack_options(CLI::App& command, PackOptions& options) {
  static const std::map<std::string, MlfFlavour> kFlavours{{"source", MlfFlavour::source},
                                                           {"objects", MlfFlavour::objects}};
  command.add_option("--tar-of", options.flavour, "what a .tar holds: source (objects for what has none) or objects")
      ->transform(one_of(kFlavours).description(""))
      ->default_str("source");
  command.add_option("--system-library", options.system_library,
                     "NAME: put a table into a .a in which programs find its functions by name; NAME.h goes beside it");
  add_durability(command, options.durability);
  add_force(command, options.force);
}

void add_weights_options(CLI::App& command, WeightsOptions& options) {
  command.add_option("--weights-blob", options.file,
                     "write the constants into this file instead of the library, for <model>_bind(): .bin, or .hex for "
                     "Intel HEX. Weights that change leave the library as it is");
  command
      .add_option("--weights-above", options.least,
                  "bytes of the smallest constant that leaves the bytecode of an executor that interprets")
      ->capture_default_str();
  command.add_option("--weights-key", options.key,
                     "private key (PEM; Ed25519 or P-256) that signs the file; byoc sign does it later");
  command.add_option("--weights-sequence", options.sequence,
                     "number in the file: of two slots, <model>_bind_slots() takes the one with the higher number");
  command.add_option("--weights-address", options.address, "of the first byte in a .hex, as in 0x08080000");
}

namespace {

// "16", "1..32", "1..": nothing where it is none of these.
std::optional<DimRange> parse_range(std::string_view text) {
  const auto number = [&](std::string_view digits) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc() || stop != end || value < 0) return std::nullopt;
    return value;
  };
  const std::size_t dots = text.find("..");
  const auto least = number(text.substr(0, dots));
  if (!least) return std::nullopt;
  if (dots == std::string_view::npos) return DimRange{*least, *least};
  if (dots + 2 == text.size()) return DimRange{.least = *least};
  const auto most = number(text.substr(dots + 2));
  if (!most || *most < *least) return std::nullopt;
  return DimRange{*least, *most};
}

}  // namespace

Result<void> add_dims(const std::vector<std::string>& texts, PrepareOptions& to, Diagnostics& diags) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const auto range = equals == std::string::npos || equals == 0
                           ? std::nullopt
                           : parse_range(std::string_view(text).substr(equals + 1));
    if (!range)
      return diags.error({}, "--dim", "not a binding", "'" + text + "'", "NAME=LENGTH, or a range, NAME=1..32");
    const std::string name = text.substr(0, equals);
    if (text.find("..", equals) == std::string::npos)
      to.dims[name] = range->least;
    else
      to.dim_ranges[name] = *range;
  }
  return {};
}

Result<PrepareOptions> ModelOptions::prepare_options(Diagnostics& diags) const {
  PrepareOptions prepare{.lift = !no_lift, .dims = {}};
  if (!add_dims(dims, prepare, diags)) return failure;
  prepare.signature = signature;
  for (const std::string& text : set) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return diags.error({}, "--set", "not an input and its value", "'" + text + "'",
                         "NAME=VALUE or NAME=VALUE,VALUE...");
    prepare.inputs[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const std::string& text : bounds) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals + 1 == text.size() || text.empty())
      return diags.error({}, "--bound", "not an input and its room", "'" + text + "'", "NAME=8 or NAME=16B");
    const std::string name = equals == std::string::npos ? "" : text.substr(0, equals);
    prepare.bounds[name] = equals == std::string::npos ? text : text.substr(equals + 1);
  }
  if (!fold_limit.empty()) prepare.fold_limit.bytes = fold_limit[0];
  if (fold_limit.size() > 1) prepare.fold_limit.operations = fold_limit[1];
  return prepare;
}

Result<TargetSpec> ModelOptions::target_with_flash(Diagnostics& diags) const {
  auto spec = find_target(target, diags);
  if (!spec) return failure;
  const auto first = std::ranges::find(spec->pools, PoolKind::flash, &MemoryPool::kind);
  if (max_flash != 0 && first != spec->pools.end())
    first->size = first->size == 0 ? max_flash : std::min(first->size, max_flash);
  if (flash.empty()) return spec;
  const auto part = parse_flash_model(flash, diags);
  if (!part) return failure;
  return with_flash(std::move(*spec), *part);
}

Result<ModelSetup> ModelOptions::resolve(Progress& progress, Diagnostics& diags) const {
  auto spec = target_with_flash(diags);
  auto prepare = prepare_options(diags);
  if (!spec || !prepare) return failure;
  const std::vector<OutputName> record{{plugins.record}};
  if (!plugins.record.empty() && !check_outputs(inputs(), record, diags)) return failure;
  ExportRequest wanted = request;
  wanted.progress = [&progress](std::string_view stage) { progress.stage(stage); };
  for (const std::string& text : pins) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return diags.error({}, "--pin", "not a pin", "'" + text + "'", "NODE=ID");
    wanted.partition.pins.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  PluginChoice choice = plugins;
  if (Progress::shows(quiet)) choice.progress = Progress::plugin;
  auto codegens = Codegens::create(*spec, choice, diags);
  if (!codegens) return failure;
  prepare->open_types = executor_interprets(request.executor);
  return ModelSetup{std::move(*prepare), std::move(wanted), std::move(*codegens)};
}

Result<Model> ModelOptions::load(const ModelSetup& setup, Progress& progress, Diagnostics& diags) const {
  progress.stage("import");
  return Model::load(model, setup.prepare, diags);
}

std::vector<FileStamp> ModelOptions::inputs() const {
  std::vector<std::string> all{model, target, request.compiler.toolchain};
  if (!request.weights.key.empty()) all.push_back(request.weights.key);
  for (const auto* further : {&request.add_files, &plugins.plugins})
    all.insert(all.end(), further->begin(), further->end());
  return stamps_of(all);
}

Result<void> flush_output(Diagnostics& diags) {
  const bool failed = std::fflush(stdout) != 0;
  if (!failed && std::ferror(stdout) == 0) return {};
  return diags.error("standard output", {},
                     std::string("cannot be written: ") + (failed ? std::strerror(errno) : "a part of it is lost"));
}

Result<std::string> report_text(const PartitionReport& report, const std::string& file, Diagnostics& diags) {
  if (file.ends_with(".svg") && report.svg.empty())
    return diags.error(file, "--report", "the graph has too many nodes for a drawing",
                       std::to_string(report.nodes.size()) + " nodes", "R.html, which has them in a table");
  return file.ends_with(".html") ? report.html : file.ends_with(".svg") ? report.svg : report.json;
}

void show_rewrites(const std::vector<RewriteSummary>& rewrites) {
  for (const RewriteSummary& r : rewrites) {
    if (r.macs + r.constant_bytes + r.tensor_bytes == 0) continue;  // Reports have all of them.
    std::printf("optimise: %s %llu, saves %llu MACs, %llu bytes of weights, %llu bytes of tensors\n", r.name.c_str(),
                static_cast<unsigned long long>(r.count), static_cast<unsigned long long>(r.macs),
                static_cast<unsigned long long>(r.constant_bytes), static_cast<unsigned long long>(r.tensor_bytes));
  }
}

Progress::Progress(bool quiet) : shown_(shows(quiet)) {}

Progress::~Progress() { finish_stage(); }

bool Progress::shows(bool quiet) { return !quiet && ::isatty(STDERR_FILENO) != 0; }

void Progress::plugin(std::string_view id, std::uint64_t done, std::uint64_t total, std::string_view what) {
  const std::string of = total == 0 ? "" : "/" + std::to_string(total);
  const std::string text = std::string(id) + ": " + std::string(what) + " " + std::to_string(done) + of;
  clear_line();
  std::fprintf(stderr, "  %s", one_line(text, kWidest).c_str());
}

void Progress::stage(std::string_view name) {
  finish_stage();
  current_ = name;
  start_ = std::chrono::steady_clock::now();
}

void Progress::finish_stage() {
  if (!shown_ || current_.empty()) return;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start_;
  clear_line();
  std::fprintf(stderr, "  %-12s %8.1f ms\n", current_.c_str(), took.count());
  current_.clear();
}

}  // namespace byoc::cli
