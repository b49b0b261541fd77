#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "byoc/pack.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/output_set.hpp"

namespace byoc::cli {
namespace {

struct LinkerFragmentCommand {
  std::vector<std::string> manifests;
  std::vector<std::string> places;
  std::string header;
  std::string out;

  [[nodiscard]] Result<void> run(Diagnostics& diags) const {
    std::vector<OutputName> outputs{{out}};
    if (!header.empty()) outputs.push_back({header});
    const std::vector<FileStamp> inputs = stamps_of(manifests);
    if (!check_outputs(inputs, outputs, diags)) return failure;
    std::map<std::string, std::string> memories;
    for (const std::string& p : places) {
      const std::size_t equals = p.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == p.size())
        return diags.error({}, "--place", "not a place", "'" + p + "'", "REGION=MEMORY");
      memories[p.substr(0, equals)] = p.substr(equals + 1);
    }
    const std::string name = to_identifier(std::filesystem::path(out).stem().string());
    auto fragment = linker_fragment(manifests, memories, name, diags);
    if (!fragment) return failure;
    OutputSet files(diags, inputs);
    if (!files.add(out, fragment->script) || (!header.empty() && !files.add(header, fragment->header))) return failure;
    return files.commit();
  }
};

}  // namespace

void add_linker_fragment(CLI::App& app, Session& session) {
  auto options = std::make_shared<LinkerFragmentCommand>();
  CLI::App* command = app.add_subcommand(
      "linker-fragment", "write the part of a linker script that places constants and workspaces, from manifests");
  command->add_option("MANIFEST", options->manifests, "the .json of each library of the firmware")->required();
  command->add_option("--place", options->places,
                      "REGION=MEMORY: the memory of the script that holds a region or a workspace, as in flash=QSPI or "
                      "dtcm=DTCM; may be repeated");
  command->add_option(
      "--header", options->header,
      "C header to write: bytes by region, where each begins and ends; the workspace that is enough for all "
      "models, one at a time");
  command->add_option("-o,--output", options->out, "linker script to write, to be INCLUDEd by the firmware's")
      ->required();
  command->footer(
      "Example:\n  byoc linker-fragment kws.json vww.json --place flash=QSPI -o models.ld --header models.h");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
