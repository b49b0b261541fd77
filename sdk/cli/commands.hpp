// The subcommands of byoc. Each declares its options on the parser and sets the action to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sdk/pipeline/export.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc::cli {

// What main() runs after parsing: prints nothing about errors itself, that is what the diagnostics are for.
struct Session {
  Diagnostics diags;
  std::function<Result<void>()> action;
};

void add_export(CLI::App& app, Session& session);
void add_run(CLI::App& app, Session& session);
void add_targets(CLI::App& app, Session& session);
void add_inspect(CLI::App& app, Session& session);
void add_build_tree(CLI::App& app, Session& session);

// Options that every command that compiles a model has.
struct ModelOptions {
  std::string model;
  std::string target;
  std::string toolchain;
  std::string name;
  std::string objective = "balanced";
  std::vector<std::string> dims;
  bool no_lift = false;
  bool quiet = false;

  void declare(CLI::App& command);
  // Fills in everything but trace.
  [[nodiscard]] Result<ExportOptions> resolve(Diagnostics&) const;
};

// "N=1" ... -> {{"N", 1}, ...}
[[nodiscard]] Result<std::map<std::string, std::int64_t>> parse_dims(const std::vector<std::string>& texts,
                                                                     Diagnostics&);

// Shows stages and their times on a terminal.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  void stage(std::string_view name);

 private:
  void finish_stage();
  bool shown_;
  std::string current_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace byoc::cli
