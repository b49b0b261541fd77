#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "byoc/inspect.hpp"
#include "byoc/vm.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/contents.hpp"
#include "sdk/app/cli/page_facts.hpp"
#include "sdk/base/support/file_kind.hpp"
#include "sdk/library/weights/describe.hpp"

namespace byoc::cli {
namespace {

struct InspectCommand {
  const CLI::App* command = nullptr;
  std::string model;
  std::vector<std::string> dims;
  bool prepared = false;
  std::string signature;
  bool no_lift = false;
  std::size_t longest_constant = 16;
  bool json = false, html = false;
  bool bytecode = false;

  [[nodiscard]] InspectForm form() const {
    return html ? InspectForm::html : json ? InspectForm::json : InspectForm::text;
  }

  [[nodiscard]] Result<void> show(const Result<std::string>& text) const {
    if (!text) return failure;
    std::fputs((html ? page_with_facts(*text, *command, model) : *text).c_str(), stdout);
    return {};
  }

  Result<void> run(Diagnostics& diags) const {
    if (bytecode || (!model.ends_with(".so") && HostModel::is_one(model))) return show_bytecode(diags);
    if (is_params(model)) return show(inspect_params(model, form(), diags));
    if (is_graph_json(model)) return show(inspect_graph(model, form(), diags));
    if (model.ends_with(".so") && has_device_blob(model)) return show(inspect_device_library(model, form(), diags));
    if (weights::is_weights(model)) return show_weights(diags);
    switch (kind_of_file(model)) {
      case FileKind::folder:
      case FileKind::object:
      case FileKind::shared_library:
      case FileKind::program:
      case FileKind::static_library:
      case FileKind::thin_archive:
      case FileKind::tar:
      case FileKind::json: return show_contents(diags);
      default: break;
    }
    // The kind that the suffix promises decides.
    if (model.ends_with(".tar")) return bool(inspect_model_library(model, diags)) ? Result<void>() : failure;
    if (model.ends_with(".so")) return bool(inspect_shared_library(model, diags)) ? Result<void>() : failure;
    if (json || html) return show_model(diags);
    const std::size_t longest = longest_constant == 0 ? SIZE_MAX : longest_constant;
    auto text = prepared ? prepared_text(longest, diags) : imported_text(model, longest, diags, signature);
    if (!text) return failure;
    std::fputs(text->c_str(), stdout);
    return {};
  }

  Result<void> show_model(Diagnostics& diags) const {
    if (!prepared) return show(inspect_model(model, form(), diags, signature));
    const auto loaded = load_prepared(diags);
    if (!loaded) return failure;
    return show(inspect_model(*loaded, form()));
  }

  Result<void> show_weights(Diagnostics& diags) const {
    const auto read = weights::read_weights(model, diags);
    if (!read) return failure;
    return show(html   ? weights::contents_page(*read, model)
                : json ? weights::contents_json(*read)
                       : weights::contents_text(*read));
  }

  Result<void> show_bytecode(Diagnostics& diags) const {
    const auto read = HostModel::read(model, diags);
    if (!read) return failure;
    std::fputs(read->text().c_str(), stdout);
    return {};
  }

  Result<Model> load_prepared(Diagnostics& diags) const {
    PrepareOptions prepare{.lift = !no_lift, .dims = {}, .signature = signature};
    if (!add_dims(dims, prepare, diags)) return failure;
    return Model::load(model, prepare, diags);
  }

  Result<std::string> prepared_text(std::size_t longest, Diagnostics& diags) const {
    const auto loaded = load_prepared(diags);
    if (!loaded) return failure;
    return loaded->text(longest);
  }

  Result<void> show_contents(Diagnostics& diags) const {
    if (prepared || !dims.empty() || !signature.empty() || no_lift)
      return diags.error(model, prepared ? "--prepared" : "", "options of models are for models only",
                         found_kind(kind_of_file(model)));
    const auto contents = inspect_file(model, diags);
    if (!contents) return failure;
    return show(html   ? contents_page(*contents, std::filesystem::path(model).filename().string())
                : json ? contents_json(*contents)
                       : contents_text(*contents));
  }
};

}  // namespace

void add_inspect(CLI::App& app, Session& session) {
  auto options = std::make_shared<InspectCommand>();
  CLI::App* command = app.add_subcommand("inspect",
                                         "print a model as graph text, or what is in a library in any form, a linked "
                                         "program, a manifest, a graph.json, a "
                                         "file of parameters or of weights");
  options->command = command;
  command
      ->add_option(
          "FILE", options->model,
          "model file: ONNX, TFLite, or graph text; or a .a, .o, .so, .tar, exported folder, program, manifest, "
          "graph.json, .params, or weights (.bin, .hex)")
      ->required();
  CLI::Option* json = command->add_flag("--json", options->json, "as JSON");
  command->add_flag("--html", options->html, "as a page for people, with the graph drawn where there is one")
      ->excludes(json);
  command->add_flag("--prepared", options->prepared,
                    "as codegens see it: shapes known, constants folded, quantisation lifted");
  command->add_option("--dim", options->dims,
                      "bind a dimension, as in --dim N=1, or input.1=16000 of a TFLite model; with --prepared");
  add_signature(*command, options->signature);
  command->add_flag("--no-lift", options->no_lift, "keep QDQ and QLinear operators; with --prepared");
  command
      ->add_option("--longest-constant", options->longest_constant,
                   "print larger constants as their hash; 0: print all in full")
      ->capture_default_str();
  command->add_flag("--bytecode", options->bytecode, "the instructions in a .so that was exported with --executor vm");
  command->footer(
      "Example:\n  byoc inspect kws.tflite --prepared\n  byoc inspect kws.a --json\n  byoc inspect kws.tflite --html > "
      "kws.html");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
