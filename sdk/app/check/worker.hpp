// Calls of the plug-in's code, in processes of its own. Internal to this folder.
#pragma once

#include <span>
#include <string>

#include "sdk/app/check/context.hpp"
#include "sdk/base/support/worker.hpp"

namespace byoc::check {

// Each is answered with bytes of a Packer, or what Findings and Corpus encode.
enum class Ask : std::uint32_t { identify, corpus, unit, answers, choose };

// The plug-in and what it is asked with.
struct Asked {
  const CheckOptions& options;
  const std::string& library;
  const std::string& manifest;
  const Corpus* corpus = nullptr;  // where it is needed
  std::uint64_t number = 0;        // of the unit; the shift of answers
  std::string check = {};          // of answers
  std::span<const TargetSpec> targets = {};
};
// `stage`: that the process shares; null: none.
[[nodiscard]] JobResult ask(Ask what, const Asked& asked, const Stage* stage);

[[nodiscard]] std::vector<Unit> all_units();
// All answers of one process. If `shift` is not 0, all its allocations have other addresses.
[[nodiscard]] std::string answers(Context& context, std::size_t shift);

}  // namespace byoc::check
