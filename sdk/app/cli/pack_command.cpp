#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "byoc/pack.hpp"
#include "sdk/app/cli/commands.hpp"

namespace byoc::cli {
namespace {

struct PackCommand {
  std::vector<std::string> folders;
  BuildOptions options;
  PackageForm form;
  std::vector<std::string> about;  // FIELD=VALUE
  std::string target;
  std::string out;
};

std::string form_names() {
  std::string out;
  for (const std::string& name : package_forms()) out += (out.empty() ? "" : ", ") + name;
  return out;
}

Result<void> read_about(PackCommand& command, Diagnostics& diags) {
  for (const std::string& text : command.about) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return diags.error({}, "--set", "is no field with a value", text, "FIELD=VALUE");
    command.form.about[text.substr(0, equals)] = text.substr(equals + 1);
  }
  if (command.form.form.empty() && !command.about.empty())
    return diags.error({}, "--set", "is for packages of a form", {}, "--as FORM");
  return {};
}

// "kws/, vww/"
std::string all_of(const std::vector<std::string>& folders) {
  std::string out;
  for (const std::string& folder : folders) out += (out.empty() ? "" : ", ") + folder;
  return out;
}

}  // namespace

void add_pack(CLI::App& app, Session& session) {
  auto options = std::make_shared<PackCommand>();
  CLI::App* command = app.add_subcommand("pack", "go on from folders that export or build-tree wrote");
  command
      ->add_option(
          "FOLDER", options->folders,
          "folder with a tree.json; several for a .a, .o or .tar of several models, or, with --as, for several "
          "models and targets")
      ->required()
      ->check([](const std::string& name) {
        if (std::filesystem::is_directory(name)) return std::string();
        return "'" + name + (std::filesystem::exists(name) ? "' is a file" : "' is not there") +
               " (expected a folder, as 'byoc export ... -o kws/' writes it)";
      });
  command->add_option(
      "--as", options->form.form,
      "a package for another build system, as a folder or as the archive that it takes: " + form_names());
  command
      ->add_option("--set", options->about,
                   "FIELD=VALUE: what the package says of itself (name, version, vendor, description, author, url, "
                   "licence), sbom=spdx,cyclonedx: bills of materials in it, model_licence; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--target", options->target,
                      "the target that the folders are for; a description whose compiler byoc does not know must be "
                      "named, before a command that a folder says is run");
  add_compiler_options(*command, options->options.compiler);
  add_constant_options(*command, options->options.encoding);
  command->add_option("-o,--output", options->out, kPackOutputs)->required();
  add_pack_options(*command, options->options.pack);
  command->footer(
      "Example:\n  byoc export kws.tflite --target cortex-m4f -o kws/\n  byoc pack kws/ -o kws.a\n"
      "  byoc pack --as zephyr kws/ -o modules/kws");
  command->callback([options, &session] {
    session.action = [options, &session]() -> Result<void> {
      if (!read_about(*options, session.diags)) return failure;
      if (!options->target.empty()) {
        auto target = find_target(options->target, session.diags);
        if (!target) return failure;
        options->options.target = std::move(*target);
      }
      const Result<void> packed =
          options->form.form.empty()
              ? pack_folders(options->folders, options->options, options->out, session.diags)
              : pack_as(options->folders, options->form, options->options, options->out, session.diags);
      if (!packed) return failure;
      std::printf("%s: %s\n", options->out.c_str(), all_of(options->folders).c_str());
      if (!options->form.form.empty())
        std::printf("install  %s\n", package_install(options->form.form, options->out).c_str());
      return packed;
    };
  });
}

}  // namespace byoc::cli
