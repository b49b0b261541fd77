// The conformance kit for a plug-in: everything that docs/plugin-abi.md asks of it and that can be seen from outside,
// on graphs that it claims. Whatever runs code of the plug-in runs in a process of its own with limits, so that a crash
// or a hang is a finding.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/app/check/corpus.hpp"
#include "sdk/app/check/findings.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/worker.hpp"
#include "sdk/codegen/plugin/abi/options.hpp"

namespace byoc::check {

// The worker's side: the service "check" of the program that checks. `reference`: CheckOptions::reference.
void serve(Worker::Channel& channel, std::string_view arguments, byoc_plugin_query_fn reference);

struct CheckInfo {
  std::string name;          // "verdicts"
  std::string group;         // "library", "entry", "verdicts", "calls", "emitted code"
  std::string requirements;  // of docs/plugin-abi.md: "V1 V2 V6"
  std::string title;         // one line for people
  bool warns = false;        // what it finds fails nothing, unless CheckOptions::strict
};

struct CheckOptions {
  std::string plugin;                // a .so, a manifest, or an id
  std::vector<std::string> folders;  // where ids are looked for
  plugin::OptionTexts options;       // of the plug-in
  TargetSpec target;
  std::vector<std::string> only;  // names of checks; empty: all
  std::vector<std::string> skip;
  bool strict = false;  // warnings fail, too
  CorpusSize size;
  byoc_plugin_query_fn reference = nullptr;  // takes what the plug-in leaves; null: nobody does
  std::vector<std::string> link;             // absolute: what the program around the code links
  WorkerLimits limits = {.seconds = 300, .memory = std::uint64_t{6} << 30};  // of one check
  std::function<void(const CheckInfo&)> progress;                            // told when a check begins; may be empty
};

struct CheckResult {
  enum class State { passed, failed, skipped };
  CheckInfo info;
  State state = State::passed;
  std::vector<Finding> findings;
  std::uint64_t more = 0;  // findings like those, not listed
  std::string why;         // it was skipped
  std::string note;        // what it covered
  double seconds = 0;      // of the process that made it, with those that it makes together
  std::vector<Finding> warnings = {};
};

struct Report {
  std::string plugin;  // the library
  std::string id;      // "" if it could not be loaded
  std::string version;
  std::string target;
  std::vector<CheckResult> results;
  std::vector<std::string> coverage = {};  // what was claimed and run, a line for each operator
  [[nodiscard]] std::size_t count(CheckResult::State state) const;
};

// All checks, in the order in which they are made.
[[nodiscard]] std::vector<CheckInfo> list_checks();

// Errors: no such plug-in, an unknown name of a check. Violations by the plug-in are in the report.
[[nodiscard]] Result<Report> check_plugin(const CheckOptions& options, Diagnostics& diags);

// The first of `targets` that the plug-in makes a codegen for, asked in a process of its own; of a plug-in that takes
// none, dies or cannot be loaded the first of all, for check_plugin() says what is wrong. Error: no such plug-in.
[[nodiscard]] Result<TargetSpec> choose_target(const CheckOptions& options, std::span<const TargetSpec> targets,
                                               Diagnostics& diags);

// Grouped, for people: a line for each check, and what failed with its requirement.
[[nodiscard]] std::string report_text(const Report&);
// The report as a page.
[[nodiscard]] std::string report_page(const Report&);
// JUnit's XML: a suite for each group, a case for each check.
[[nodiscard]] std::string report_junit(const Report&);

}  // namespace byoc::check
