#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/export_summary.hpp"
#include "sdk/app/cli/host_run.hpp"
#include "sdk/app/cli/memory_warning.hpp"
#include "sdk/app/cli/page_facts.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/export/export.hpp"
#include "sdk/export/export_cache.hpp"
#include "sdk/export/rules.hpp"
#include "sdk/library/compile/object_cache.hpp"
#include "sdk/library/pack/bills/bill.hpp"
#include "sdk/library/pack/folder.hpp"
#include "sdk/library/pack/write_package.hpp"

namespace byoc::cli {
namespace {

struct ExportCommand {
  const CLI::App* command = nullptr;
  ModelOptions model;
  std::string out;
  std::string report;
  std::string depfile;
  BillsOfMaterials bills;

  [[nodiscard]] std::vector<GivenOption> given_options() const {
    std::vector<GivenOption> given;
    for (const CLI::Option* option : command->get_options())
      if (option->count() != 0)
        given.push_back({option->get_lnames().empty() ? option->get_name() : "--" + option->get_lnames().front(),
                         option->results()});
    return given;
  }

  // Bytecode alone: no target, no compiler.
  Result<void> write_interpreted(Diagnostics& diags) const {
    const auto is_given = [&](std::string_view option) {
      const CLI::Option* known = command->get_option_no_throw(std::string(option));
      return known != nullptr && !known->empty();
    };
    if (!check_options(is_given, model.request.executor, diags)) return failure;
    Progress progress(model.quiet);
    const std::string& map = model.request.names.map;
    std::string names;
    const auto made = interpreted_model(model, progress, diags, map.empty() ? nullptr : &names);
    if (!made) return failure;
    OutputSet files(diags, model.inputs());
    if (!files.make_folder_of(out)) return failure;
    HostModel::Detached made_of;
    const WeightsOptions& weights = model.request.weights;
    if (weights.file.empty()) {
      made_of.bytecode = made->bytecode();
    } else {
      auto detached = made->detach(weights, diags);
      if (!detached) return failure;
      made_of = std::move(*detached);
      if (!files.add(weights.file, [&](int fd) { return write_all(fd, made_of.weights); })) return failure;
    }
    if (!files.add(out, [&](int fd) { return write_all(fd, made_of.bytecode); })) return failure;
    if (!map.empty() && !files.add(map, names)) return failure;
    return files.commit(model.request.pack.durability);
  }

  Result<void> run(Session& session) const {
    if (model.request.executor == "interpreted") return write_interpreted(session.diags);
    Progress progress(model.quiet);
    progress.stage("prepare");
    const Result<void> done = write_library(progress, session.diags);
    const CompilerChoice& compiler = model.request.compiler;
    if (compiler.cache_limit != 0) compile::trim_object_cache(compiler.cache, compiler.cache_limit);
    if (!done) session.cause = cause(progress.current());
    return done;
  }

  [[nodiscard]] ExitCode cause(const std::string& stage) const {
    std::error_code ignored;
    if (stage == "import" && !std::filesystem::is_regular_file(model.model, ignored)) return kEnvironment;
    if (stage == "plug-ins") return model.plugins.plugins.empty() ? kFailed : kPluginFailed;
    return cause_of_stage(stage, !model.plugins.plugins.empty());
  }

  Result<void> write_library(Progress& progress, Diagnostics& diags) const {
    auto outputs = export_outputs(default_name(model.model), model.request, out, diags);
    if (!outputs) return failure;
    for (const std::string& text : {report, depfile, model.plugins.record})
      if (!text.empty()) outputs->insert(outputs->begin() + 1, {text});
    if (!add_bill_outputs(*outputs, diags) || !check_outputs(model.inputs(), *outputs, diags)) return failure;
    progress.stage("plug-ins");
    auto setup = model.resolve(progress, diags);
    if (!setup) return failure;
    setup->request.step_table = has_step_table(out, setup->codegens.target());
    const auto cache = ExportCache::open({.model = model.model,
                                          .target = setup->codegens.target(),
                                          .toolchain = setup->request.compiler.toolchain,
                                          .folder = model.request.compiler.cache,
                                          .options = given_options(),
                                          .outputs = kept_outputs(*outputs)},
                                         diags);
    if (!cache) return failure;
    if (const auto kept = cache->find(diags)) return write_kept(*kept, *setup, kept_outputs(*outputs), diags);
    const std::size_t said = diags.count();
    const auto loaded = model.load(*setup, progress, diags);
    if (!loaded) return failure;
    const auto compiled = CompiledModel::compile(*loaded, setup->codegens, setup->request, diags);
    if (!compiled) return suggest_work_dir(setup->request, diags);
    // Codegens are asked for it, and end before anything is written: an error of theirs then is one of the command.
    const auto told = report.empty() ? PartitionReport() : compiled->report(setup->codegens, diags);
    if (!told || !setup->codegens.end(diags)) return failure;
    if (!tell_memory(*compiled, diags)) return failure;
    progress.stage("pack");
    std::vector<OutputText> others;
    if (!report.empty() && !add_report(*told, setup->codegens.target(), others, diags)) return failure;
    if (!depfile.empty() && !add_depfile(*compiled, others, diags)) return failure;
    if (!compiled->write(out, others, bills, diags)) return failure;
    if (diags.count() == said) cache->store(compiled->files_read());
    warn_of_memory(model.model, compiled->interface(), compiled->sizes(), setup->codegens.target(), diags);
    return tell_files(*compiled, setup->codegens.target(), written_paths(*outputs), diags);
  }

  [[nodiscard]] static std::vector<std::string> written_paths(const std::vector<OutputName>& outputs) {
    std::vector<std::string> paths;
    for (const OutputName& o : outputs)
      if (!o.path.empty()) paths.push_back(o.path);
    return paths;
  }

  [[nodiscard]] std::vector<std::string> kept_outputs(const std::vector<OutputName>& outputs) const {
    std::vector<std::string> kept;
    for (const OutputName& o : outputs)
      if (!o.path.empty() && o.path != depfile) kept.push_back(o.path);
    return kept;
  }

  // An earlier export wrote the same.
  Result<void> write_kept(const KeptExport& kept, ModelSetup& setup, const std::vector<std::string>& outputs,
                          Diagnostics& diags) const {
    if (!setup.codegens.end(diags)) return failure;
    if (!model.quiet)
      std::printf("%s: as it was made before, from %s\n", out.c_str(), model.request.compiler.cache.c_str());
    if (!flush_output(diags)) return failure;
    OutputSet files(diags, model.inputs());
    if (!files.make_folder_of(out)) return failure;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (!files.add(outputs[i], kept.outputs[i])) return failure;
    if (!depfile.empty()) {
      auto text = depfile_of(kept.files_read, diags);
      if (!text || !files.add(depfile, *text)) return failure;
    }
    return files.commit(model.request.pack.durability);
  }

  Result<void> add_bill_outputs(std::vector<OutputName>& outputs, Diagnostics& diags) const {
    const std::string prefix = model.request.name.empty() ? default_name(model.model) : model.request.name;
    for (const std::string& form : bills.forms) {
      const auto path = bill_path(form, out, prefix, diags);
      if (!path) return failure;
      // In a folder it is part of what replaces that.
      if (outputs.front().marker.empty()) outputs.push_back({*path});
    }
    return {};
  }

  Result<void> add_report(const PartitionReport& told, const TargetSpec& target, std::vector<OutputText>& others,
                          Diagnostics& diags) const {
    auto text = report_text(told, report, diags);
    if (!text) return failure;
    if (report.ends_with(".html")) text = page_with_facts(std::move(*text), *command, model.model, &target);
    others.push_back({report, std::move(*text)});
    return {};
  }

  Result<std::string> depfile_of(std::vector<std::string> files, Diagnostics& diags) const {
    for (const FileStamp& stamp : model.inputs()) files.push_back(stamp.path);
    return depfile_text(out.ends_with("/") ? out + kTreeFile : out, files, diags);
  }

  Result<void> add_depfile(const CompiledModel& compiled, std::vector<OutputText>& others, Diagnostics& diags) const {
    auto text = depfile_of(compiled.files_read(), diags);
    if (!text) return failure;
    others.push_back({depfile, std::move(*text)});
    return {};
  }

  // The memory is told before anything is written, so that an export that cannot say so writes nothing.
  Result<void> tell_memory(const CompiledModel& compiled, Diagnostics& diags) const {
    if (!model.quiet) std::fputs(memory_text(compiled.interface(), compiled.sizes()).c_str(), stdout);
    return flush_output(diags);
  }

  Result<void> tell_files(const CompiledModel& compiled, const TargetSpec& target,
                          const std::vector<std::string>& paths, Diagnostics& diags) const {
    if (model.quiet) return {};
    std::fputs(files_text(paths).c_str(), stdout);
    const std::string said = model.target.find_first_of("/. -") == std::string::npos || model.target == target.name
                                 ? std::string()
                                 : model.target;
    std::fputs(commands_text(out, {target, said}, compiled.interface(), compiled.sizes()).c_str(), stdout);
    if (model.request.compiler.debug_info) std::fputs(debugger_text(out, model.request.work_dir).c_str(), stdout);
    return flush_output(diags);
  }
};

}  // namespace

void add_export(CLI::App& app, Session& session) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* command = app.add_subcommand("export", "compile a model into a library with a C header");
  options->command = command;
  options->model.declare(*command);
  ExportRequest& request = options->model.request;
  command->add_option("-o,--output", options->out, kPackOutputs)->required();
  add_pack_options(*command, request.pack);
  add_weights_options(*command, request.weights);
  command
      ->add_option(
          "--multiversion", request.multiversion,
          "levels of x86-64 above the target's, v2,v3,v4: the library has the model for each of them, too, and "
          "runs the highest that there is where it is loaded")
      ->delimiter(',');
  command->add_flag_callback(
      "--threads", [options] { options->model.plugins.options.emplace_back(kThreadsOption); },
      "steps that take long are shared by threads of the program's, which it hands over by <model>_set_devices()");
  command->add_flag_callback(
      "--freestanding", [options] { options->model.plugins.options.emplace_back(kFreestandingOption); },
      "functions of the compiler's library for integers, as __aeabi_lmul, come with the library, as weak ones");
  command
      ->add_option("--max-flash", options->model.max_flash,
                   "bytes of flash that code and constants may take together, as in 64KiB: an error if they take more")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::PositiveNumber.description(""));
  command->add_option("--add-file", request.add_files,
                      "what goes into the library besides: .c, .ll, .bc, .o or .a; may be repeated");
  add_work_dir(*command, request);
  command->add_option(
      "--strip-names", request.names.map,
      "keep the names of layers and of values inside the model out of everything that is written, and put "
      "them into this file (JSON), which is for the model's owner");
  command->add_option("--report", options->report,
                      "write who takes each node, which kernel and why, and what it costs: R.json, R.html for people, "
                      "R.svg: the graph");
  command->add_option("--depfile", options->depfile, "write what the output was made from, as make and ninja read it");
  command
      ->add_option(
          "--sbom", options->bills.forms,
          "write a bill of materials beside the output, or into the folder: spdx, cyclonedx, or slsa=URI (how it "
          "was built; the URI says on which platform); FORM,FORM ...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--model-licence", options->bills.model_licence,
                      "SPDX licence expression of the model, for --sbom; default: not known");
  command->footer(
      "Example:\n  byoc export kws.tflite --target cortex-m4f -o build/kws.a\n"
      "  byoc export detector.onnx --target host --executor vm -o detector.so");
  command->get_option("--executor")->each([target = command->get_option("--target")](const std::string& executor) {
    if (executor == "interpreted") target->required(false);
  });
  command->callback([=, &session] {
    ExportRequest& asked = options->model.request;
    if (asked.compiler.debug_info && asked.work_dir.empty()) asked.work_dir = debug_sources(options->out);
    session.action = [options, &session] { return options->run(session); };
  });
}

}  // namespace byoc::cli
