// byoc batch: many exports, for a build system or here.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sdk/app/cli/batch_emit.hpp"
#include "sdk/app/cli/batch_matrix.hpp"
#include "sdk/app/cli/choice.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/output_set.hpp"

namespace byoc::cli {
namespace {

namespace fs = std::filesystem;

struct RowResult {
  double seconds = 0;
  std::uint64_t bytes = 0;   // of the library
  std::string error;         // the first; "": it was exported
  ExitCode cause = kFailed;  // of the error
};

// Runs an export as if its arguments were a command line.
RowResult export_row(const BatchRow& row) {
  const auto start = std::chrono::steady_clock::now();
  Session session;
  CLI::App app;
  add_export(app, session);
  std::vector<std::string> arguments = arguments_of(row);
  arguments.emplace_back("-q");
  std::error_code failed;
  fs::create_directories(fs::path(row.output).parent_path(), failed);
  RowResult out;
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them from the back
    if (!session.action() && !session.diags.has_errors()) out.error = "failed without saying why";
  } catch (const CLI::Error& error) {
    out.error = error.what();
  } catch (const std::bad_alloc&) {
    out.error = "not enough memory";
  }
  for (const Diagnostic& d : session.diags.all())
    if (d.level == Level::error && out.error.empty()) out.error = to_string(d);
  if (session.cause != kDone) out.cause = session.cause;
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (out.error.empty()) out.bytes = fs::file_size(row.output, failed);
  return out;
}

std::string results_json(const std::vector<BatchRow>& rows, const std::vector<RowResult>& results) {
  Json list = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Json row = {{"model", rows[i].model},       {"name", rows[i].name},     {"target", rows[i].target},
                {"variant", rows[i].variant},   {"output", rows[i].output}, {"ok", results[i].error.empty()},
                {"seconds", results[i].seconds}};
    if (results[i].error.empty())
      row["bytes"] = results[i].bytes;
    else
      row.update({{"error", results[i].error}, {"cause", std::string(name_of(results[i].cause))}});
    list.push_back(std::move(row));
  }
  const Json out = {{"format", 1}, {"rows", list}};
  return ascii_json_text(out, 2) + "\n";
}

struct BatchCommand {
  std::string matrix, emit, out;
  bool run_here = false, quiet = false;

  // The path of this program, for any folder in which the build file is run.
  static Result<std::string> program(Diagnostics& diags) {
    std::error_code failed;
    const fs::path self = fs::read_symlink("/proc/self/exe", failed);
    if (failed) return diags.error("/proc/self/exe", {}, "cannot be read: " + failed.message());
    return self.string();
  }

  [[nodiscard]] std::string base() const {
    return emit.empty() || out.empty() ? fs::current_path().string() : fs::absolute(out).parent_path().string();
  }

  Result<void> run(Diagnostics& diags) const {
    const auto rows = read_batch(matrix, base(), diags);
    if (!rows) return failure;
    if (run_here) return run_rows(*rows, diags);
    const auto self = program(diags);
    const auto text = self ? emit_batch(emit, *rows, *self, diags) : failure;
    if (!text) return failure;
    OutputSet files(diags, stamps_of(std::vector<std::string>{matrix}));
    if (!files.add(out, *text) || !files.commit()) return failure;
    if (!quiet) std::printf("%s: %zu exports\n", out.c_str(), rows->size());
    return {};
  }

  Result<void> run_rows(const std::vector<BatchRow>& rows, Diagnostics& diags) const {
    std::vector<RowResult> results;
    std::size_t failed = 0;
    for (const BatchRow& row : rows) {
      results.push_back(export_row(row));
      const RowResult& r = results.back();
      if (!r.error.empty()) {
        ++failed;
        diags.error(row.model, row.target + (row.variant.empty() ? "" : ", " + row.variant), r.error);
      }
      if (!quiet)
        std::printf("%-20s %-16s %-12s %8.2f s  %s\n", row.name.c_str(), row.target.c_str(), row.variant.c_str(),
                    r.seconds, r.error.empty() ? (std::to_string(r.bytes) + " bytes").c_str() : "failed");
    }
    if (!quiet) std::printf("%zu of %zu exported\n", rows.size() - failed, rows.size());
    if (!flush_output(diags)) return failure;
    if (!out.empty()) {
      OutputSet files(diags, stamps_of(std::vector<std::string>{matrix}));
      if (!files.add(out, results_json(rows, results)) || !files.commit()) return failure;
    }
    return failed == 0 ? Result<void>() : failure;
  }
};

}  // namespace

void add_batch(CLI::App& app, Session& session) {
  auto options = std::make_shared<BatchCommand>();
  CLI::App* command =
      app.add_subcommand("batch", "export models x targets x options: as a file for ninja, make or Slurm, or here");
  command->add_option("MATRIX", options->matrix, "JSON: models, targets, variants of options (docs/formats.md)")
      ->required();
  CLI::Option* out =
      command->add_option("-o,--output", options->out, "build file to write; with --run the results as JSON");
  CLI::Option* emit = command
                          ->add_option("--emit", options->emit,
                                       "write a build file for this: ninja, make, or slurm (a script with a job array)")
                          ->check(one_of({"ninja", "make", "slurm"}))
                          ->needs(out);
  CLI::Option* run =
      command
          ->add_flag("--run", options->run_here, "export here, one row after the other; goes on after one that fails")
          ->excludes(emit);
  command->add_flag("-q,--quiet", options->quiet, "no table");
  command->footer(
      "Example:\n  byoc batch matrix.json --emit ninja -o build.ninja && ninja\n"
      "  byoc batch matrix.json --run -o results.json");
  command->callback([=, &session] {
    if (emit->empty() && run->empty()) throw CLI::RequiredError("--emit or --run");
    session.action = [options, &session] { return options->run(session.diags); };
  });
}

}  // namespace byoc::cli
