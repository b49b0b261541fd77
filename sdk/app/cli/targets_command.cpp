#include <CLI/CLI.hpp>
#include <cstdio>

#include "sdk/app/cli/commands.hpp"

namespace byoc::cli {

void add_targets(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("targets", "list the targets that have a name");
  command->footer("Example:\n  byoc targets");
  command->callback([&session] {
    session.action = []() -> Result<void> {
      for (const TargetSpec& t : targets()) {
        std::string isa;
        for (const std::string& feature : t.isa) isa += (isa.empty() ? "" : ",") + feature;
        std::printf("%-18s %-32s %-12s %s\n", t.name.c_str(), t.triple.c_str(),
                    (t.cpu.empty() ? t.march : t.cpu).c_str(), isa.c_str());
      }
      return {};
    };
  });
}

}  // namespace byoc::cli
