#include <CLI/CLI.hpp>
#include <cstdio>

#include "sdk/app/cli/commands.hpp"
#include "sdk/target/target/compiler_condition.hpp"
#include "sdk/target/target/source_target.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::cli {

void add_targets(CLI::App& app, Session& session) {
  auto condition = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("targets", "list the targets that have a name");
  command->add_option("--condition", *condition,
                      "print the condition of C's preprocessor that compilers fulfil whose programs can run code for "
                      "this target, instead");
  command->footer("Example:\n  byoc targets\n  byoc targets --condition cortex-m33+nodsp");
  command->callback([condition, &session] {
    session.action = [condition, &session]() -> Result<void> {
      if (!condition->empty()) {
        const auto target = resolve_target(*condition, session.diags);
        if (!target) return failure;
        const std::string text = condition_to_run(*target);
        std::printf("%s\n", text.empty() ? "1" : text.c_str());
        return {};
      }
      std::vector<TargetSpec> all = targets();
      all.push_back(source_target());
      for (const TargetSpec& t : all) {
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
