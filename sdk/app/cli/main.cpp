// byoc: the command line. Parses, calls the library, prints diagnostics.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>

#include "sdk/app/cli/choice.hpp"
#include "sdk/app/cli/coloured.hpp"
#include "sdk/app/cli/command_line.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/help.hpp"
#include "sdk/app/cli/last_words.hpp"
#include "sdk/app/cli/response_file.hpp"
#include "sdk/app/cli/visible_output.hpp"
#include "sdk/base/support/helper_program.hpp"
#include "sdk/base/support/leftovers.hpp"
#include "sdk/base/support/mapping_guard.hpp"
#include "sdk/base/support/want_of_memory.hpp"
#include "sdk/library/compile/worker.hpp"

namespace {

using byoc::cli::kDone, byoc::cli::kFailed, byoc::cli::kWrongCommandLine;

constexpr const char* kFooter =
    "Examples:\n"
    "  byoc export model.tflite --target cortex-m4f -o model.a\n"
    "  byoc run model.onnx --target cortex-m55 --input x.npy --output-dir out --stats stats.json\n"
    "Each command has its own --help. An argument @FILE stands for the arguments in that file.\n"
    "Exit codes: 0 done, 1 failed, 2 wrong command line. With --exit-codes cause, export says instead of 1: 3 the "
    "model\n"
    "is refused, 4 it does not fit the memory, 5 a plug-in fails, 6 the environment (files, compilers) does.";

// Whatever a model says, a command takes no more where the user does not say so. Sanitizers take more than any limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kUsualMemory = 0;
#else
constexpr std::uint64_t kUsualMemory = std::uint64_t{8} << 30U;
#endif

// Limits data, heap and stacks of the process and of those that it starts; files that are mapped for reading do not
// count. A limit that was there before stays where it is less than the usual one.
byoc::Result<void> limit_memory(std::uint64_t bytes, bool is_usual, byoc::Diagnostics& diags) {
  rlimit before{};
  if (bytes == 0 || (is_usual && (::getrlimit(RLIMIT_DATA, &before) != 0 || before.rlim_cur <= bytes))) return {};
  const rlimit limit{bytes, is_usual ? before.rlim_max : bytes};
  if (::setrlimit(RLIMIT_DATA, &limit) == 0 || is_usual) return {};
  return diags.error({}, "--memory-limit", "the limit cannot be set", std::to_string(bytes), "less than it is now");
}

// Opens /dev/null for closed standard streams, so that output to them does not end up in files opened in their place.
void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);  // takes the lowest number that is free
}

// A file that becomes too large, and a reader that goes away, are errors of the write.
void set_signals() {
  for (const int number : {SIGXFSZ, SIGPIPE}) std::signal(number, SIG_IGN);
  byoc::take_leftovers_on_signals();
}

// Relative names mean nothing in a working folder that was removed.
byoc::Result<void> check_working_folder(byoc::Diagnostics& diags) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  if (!error) return {};
  return diags.error("working folder", {}, "is not there any more: " + error.message());
}

byoc::Result<void> act(const byoc::cli::Session& session, bool is_usual, byoc::Diagnostics& diags) {
  if (!check_working_folder(diags) || !limit_memory(session.memory_limit, is_usual, diags)) return byoc::failure;
  const byoc::compile::KeptWorkers kept;
  try {
    if (!session.action()) return byoc::failure;
  } catch (const std::bad_alloc&) {
    return diags.error({}, {}, "not enough memory", {}, byoc::memory_bound());
  } catch (const std::exception& error) {
    return diags.error({}, {}, std::string("internal error: ") + error.what());
  }
  return {};
}

int report(byoc::Result<void> done, byoc::cli::Session& session) {
  const bool told = done && byoc::cli::flush_output(session.diags);
  const bool failed = !told || session.diags.has_errors();
  const byoc::cli::ExitCode cause = failed && session.cause == kDone ? kFailed : session.cause;
  for (const byoc::Diagnostic& d : session.diags.all()) {
    if (session.json_diagnostics)
      std::fprintf(stderr, "%s\n", byoc::cli::diagnostic_json(d).c_str());
    else
      byoc::cli::show_diagnostic(d);
  }
  if (session.json_diagnostics)
    std::fprintf(stderr, "{\"end\": \"%s\"}\n", std::string(name_of(failed ? cause : kDone)).c_str());
  if (!failed) return kDone;
  return session.exit_codes_by_cause ? cause : kFailed;
}

int run(int argc, char** argv, byoc::cli::Session& session) {
  CLI::App app("byoc turns a trained model (ONNX, TFLite) into a link-ready library for one target.", "byoc");
  app.set_version_flag("--version", "byoc " BYOC_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  app.add_option_function<std::string>(
         "--diagnostics", [&session](const std::string& form) { session.json_diagnostics = form == "json"; },
         "errors and warnings on standard error as text, or json: a JSON object on each line, the last one {\"end\": "
         "...}")
      ->check(byoc::cli::one_of({"text", "json"}));
  app.add_option_function<std::string>(
         "--exit-codes", [&session](const std::string& which) { session.exit_codes_by_cause = which == "cause"; },
         "of failures: general (1), or cause (see below)")
      ->check(byoc::cli::one_of({"general", "cause"}));
  session.memory_limit = kUsualMemory;
  const CLI::Option* limit =
      app.add_option("--memory-limit", session.memory_limit,
                     "memory that byoc may take, as in 2GiB, before the command: an error where that does not suffice; "
                     "0: any (default: 8GiB)")
          ->transform(CLI::AsSizeValue(false).description(""));
  byoc::cli::add_commands(app, session);
  // Options behind the command mean the same as in front of it.
  for (CLI::App* command : app.get_subcommands({})) command->fallthrough();
  byoc::cli::set_help(app);
  auto arguments = byoc::cli::with_response_files({argv + std::min(argc, 1), argv + argc}, session.diags);
  if (!arguments) {
    (void)report(byoc::failure, session);
    return kWrongCommandLine;
  }
  *arguments = byoc::cli::in_usual_words(std::move(*arguments));
  try {
    app.parse(std::vector<std::string>(arguments->rbegin(), arguments->rend()));  // CLI11 takes them from the back
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      session.json_diagnostics = byoc::cli::asks_for_json(*arguments);
      byoc::cli::tell_problems(app, *arguments, error, session.diags);
      session.cause = kWrongCommandLine;
      (void)report(byoc::failure, session);
      return kWrongCommandLine;
    }
    (void)app.exit(error);  // prints help
    std::cout.flush();
    if (!std::cout) return report(session.diags.error("standard output", {}, "cannot be written"), session);
    return report({}, session);
  }
  return report(act(session, limit->empty(), session.diags), session);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(byoc::on_terminate);
  byoc::may_end_for_want_of_memory();
  if (const auto code = byoc::helper_main(argc, argv, byoc::cli::services())) return *code;
  byoc::guard_mappings();
  open_standard_streams();
  set_signals();
  if (const auto arguments = byoc::cli::compiler_arguments(argc, argv)) return byoc::cli::run_compiler(*arguments);
  byoc::cli::show_control_characters();
  byoc::cli::Session session;
  byoc::cli::watch_for_ends(session, [&session] { return report(byoc::failure, session); });
  const int code = run(argc, argv, session);
  byoc::cli::all_is_done();
  return code;
}
