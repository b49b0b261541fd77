// byoc diff: what changed between two files of weights.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "sdk/app/cli/commands.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/weights/difference.hpp"

namespace byoc::cli {
namespace {

struct DiffCommand {
  std::string before, after, out;
  bool json = false, apply = false;

  Result<void> write(const std::vector<std::byte>& bytes, Diagnostics& diags) const {
    OutputSet files(diags, stamps_of(std::vector<std::string>{before, after}));
    if (!files.add(out, [&](int fd) { return write_all(fd, bytes); })) return failure;
    return files.commit();
  }

  Result<void> run(Diagnostics& diags) const {
    if (apply) return make_new(diags);
    const auto first = weights::read_weights(before, diags);
    const auto second = weights::read_weights(after, diags);
    if (!first || !second) return failure;
    const weights::Difference difference = weights::compare(*first, *second);
    const std::string text = json ? difference_json(difference) : difference_text(difference);
    std::fputs(text.c_str(), stdout);
    if (out.empty()) return {};
    const auto delta = weights::make_delta(first->bytes, second->bytes, after, diags);
    if (!delta) return failure;
    if (!json) std::printf("%s: %zu bytes, of %zu\n", out.c_str(), delta->size(), second->bytes.size());
    if (!flush_output(diags)) return failure;
    return write(*delta, diags);
  }

  Result<void> make_new(Diagnostics& diags) const {
    const auto first = weights::read_weights(before, diags);
    const auto delta = read_text(after, diags);
    if (!first || !delta) return failure;
    const auto made = weights::apply_delta(first->bytes, std::as_bytes(std::span(*delta)), after, diags);
    return made ? write(*made, diags) : failure;
  }
};

}  // namespace

void add_diff(CLI::App& app, Session& session) {
  auto options = std::make_shared<DiffCommand>();
  CLI::App* command =
      app.add_subcommand("diff", "say what changed between two files of weights, and write or apply a delta of them");
  command->add_option("OLD", options->before, "file of weights (.bin or .hex), which export --weights-blob wrote")
      ->required();
  command->add_option("NEW", options->after, "another one; with --apply a delta")->required();
  CLI::Option* out = command->add_option("-o,--output", options->out,
                                         "write the delta that makes NEW of OLD; with --apply what it makes");
  CLI::Option* json = command->add_flag("--json", options->json, "as JSON");
  command->add_flag("--apply", options->apply, "NEW is a delta: make of OLD what it was made for")
      ->needs(out)
      ->excludes(json);
  command->footer(
      "Example:\n  byoc diff kws_1.bin kws_2.bin -o update.delta\n"
      "  byoc diff kws_1.bin update.delta --apply -o kws_2.bin");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
