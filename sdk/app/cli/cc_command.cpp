// byoc cc: Clang as a compiler, for programs that stand in front of compilers.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "sdk/app/cli/commands.hpp"
#include "sdk/library/compile/compiler_driver.hpp"

namespace byoc::cli {

std::optional<std::vector<std::string>> compiler_arguments(int argc, char** argv) {
  if (argc < 1) return std::nullopt;
  const std::vector<std::string> all(argv + 1, argv + argc);
  if (std::filesystem::path(argv[0]).filename() == compile::kCompilerName) return all;
  if (all.empty() || all[0] != "cc") return std::nullopt;
  std::vector<std::string> rest(all.begin() + 1, all.end());
  if (rest == std::vector<std::string>{"--help"} || rest == std::vector<std::string>{"-h"}) return std::nullopt;
  return rest;
}

int run_compiler(const std::vector<std::string>& arguments) {
  Diagnostics diags;
  const int code = compile::run_compiler_driver("byoc cc", arguments, diags);
  for (const Diagnostic& d : diags.all()) std::fprintf(stderr, "%s\n", to_string(d).c_str());
  return code;
}

void add_cc(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand(
      "cc", "compile C as an export does, as a compiler that ccache, sccache, distcc and icecc understand");
  command
      ->add_option("ARGUMENT", *arguments,
                   "as for clang: -c -S -E -M -MD -MF -### -I -D -O -g -x -o ...; -target takes byoc's targets, too")
      ->required();
  command->footer(
      "Example:\n  byoc cc -target cortex-m4f -O2 -c a.c -o a.o\n"
      "  ccache byoc-cc -target cortex-m4f -O2 -c a.c -o a.o");
  // Reached only behind options of byoc, which have no meaning for a compiler.
  command->callback([arguments, &session] {
    session.action = [&session] {
      return Result<void>(session.diags.error({}, "cc", "comes first: options of byoc have no meaning for it"));
    };
  });
}

}  // namespace byoc::cli
