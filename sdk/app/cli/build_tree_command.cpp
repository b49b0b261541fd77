#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "byoc/pack.hpp"
#include "sdk/app/cli/commands.hpp"

namespace byoc::cli {
namespace {

struct BuildTreeCommand {
  std::vector<std::string> files;
  std::string target;
  BuildOptions options;
  std::string out;
  std::vector<std::string> standards, features, warnings, blobs;  // as they are written

  Result<void> run(Diagnostics& diags) {
    auto spec = find_target(target, diags);
    if (!spec || !read_words(diags)) return failure;
    if (!build_library(files, *spec, options, out, diags)) return failure;
    std::printf("%s: %zu files for %s\n", out.c_str(), files.size() + blobs.size(), spec->name.c_str());
    return {};
  }

  Result<void> read_words(Diagnostics& diags) {
    for (const std::string& s : standards)  // -std=c11 is -s with the value td=c11
      options.sources.standards.push_back(s.starts_with("td=") ? s.substr(3) : s);
    for (const std::string& f : features) options.sources.flags.push_back("-f" + f);
    for (const std::string& w : warnings) options.sources.flags.push_back("-W" + w);
    for (const std::string& b : blobs) {
      const std::size_t equals = b.find('=');
      if (equals == std::string::npos) return diags.error({}, "--blob", "has no symbol", b, "SYMBOL=FILE");
      options.blobs.push_back({b.substr(equals + 1), b.substr(0, equals)});
    }
    return {};
  }
};

void add_source_options(CLI::App& command, BuildTreeCommand& to) {
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* help) {
    command.add_option(name, values, help)->allow_extra_args(false)->group("C, C++ and assembly");
  };
  list("-I", to.options.sources.include_directories, "folder of headers; may be repeated, as those below");
  list("-D", to.options.sources.defines, "NAME or NAME=VALUE: a definition for every source");
  list("-s,--std", to.standards, "language, as in -std=gnu11 or -std=c++20; default: gnu11, gnu++17");
  list("-f", to.features, "what the compiler does, as in -fno-strict-aliasing");
  list("-W", to.warnings, "warnings, as in -Wno-unused-variable");
}

}  // namespace

void add_build_tree(CLI::App& app, Session& session) {
  auto options = std::make_shared<BuildTreeCommand>();
  CLI::App* command =
      app.add_subcommand("build-tree", "compile LLVM modules and C sources for one target into a library");
  command
      ->add_option("FILE", options->files,
                   "LLVM module (.bc, .ll), C (.c), C++ (.cpp, .cc, .cxx) or assembly (.S, .s), object (.o), library "
                   "(.a), or bytes (.bin) that become a constant of the file's name")
      ->required();
  add_source_options(*command, *options);
  command->add_option("--blob", options->blobs, "SYMBOL=FILE: bytes that become the constant SYMBOL; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--import", options->options.edges,
                   "FILE:FILE: the first imports the second; default: the first file imports all others")
      ->allow_extra_args(false);
  command->add_option("--target", options->target, "target name, description file, or option string")->required();
  add_compiler_options(*command, options->options.compiler);
  add_opt_level(*command, options->options.opt_level, "2");
  add_constant_options(*command, options->options.encoding);
  command->add_option("-o,--output", options->out, kPackOutputs)->required();
  add_pack_options(*command, options->options.pack);
  command->footer(
      "Example:\n  byoc build-tree filter.ll glue.c --target 'arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard' -o "
      "libfilter.a\n"
      "  byoc build-tree fir.c gain.cpp start.S -Iinclude -DTAPS=64 -std=gnu11 --blob fir_taps=taps.bin --target "
      "cortex-m4f "
      "-o libfir.a");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
