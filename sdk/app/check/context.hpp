// State that the checks share. A check runs in a process of its own and loads the plug-in there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sdk/app/check/check.hpp"
#include "sdk/app/check/corpus.hpp"
#include "sdk/app/check/findings.hpp"
#include "sdk/app/check/probe.hpp"
#include "sdk/codegen/plugin/abi/negotiate.hpp"

namespace byoc::check {

struct Context {
  const CheckOptions& options;
  const std::string& library;   // the shared object
  const std::string& manifest;  // beside it, or what was asked for; "" if there is none
  const Corpus& corpus;         // empty before it is made
  Stage& stage;
  Findings& findings;
  std::string check;  // the first name of the unit

  // Loads it; what is wrong is a finding of `check`.
  [[nodiscard]] std::optional<plugin::Plugin> load();
  // The values that the plug-in's options have in this run.
  [[nodiscard]] std::vector<plugin::OptionValue> option_values(const plugin::Plugin& plugin);
  void add(const std::string& requirement, const std::string& message, const std::string& found = {},
           const std::string& expected = {}) {
    findings.add({check, requirement, message, found, expected});
  }
};

// Checks that are made together, in one process.
struct Unit {
  std::vector<CheckInfo> checks;
  // The checks behind a gate need it: they are skipped if it finds something, or if it dies.
  enum class Gate { none, passes, lives } gate;
  bool needs_corpus;
  void (*run)(Context&);
  const char* death = "C1";  // the requirement that a process has broken which dies in it
};

[[nodiscard]] std::vector<Unit> library_units();
[[nodiscard]] std::vector<Unit> verdict_units();
[[nodiscard]] std::vector<Unit> call_units();
[[nodiscard]] std::vector<Unit> code_units();
[[nodiscard]] std::vector<Unit> mixed_units();
[[nodiscard]] std::vector<Unit> open_units();

// The first error, with what was found and expected.
[[nodiscard]] std::string error_text(const Diagnostics& diags);
// The requirement that the host's refusal of an artifact is about.
[[nodiscard]] std::string requirement_of(const std::string& text);

}  // namespace byoc::check
