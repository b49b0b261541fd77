// The options of an export that go together: tables that exports by the command line and by the API are held against.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "byoc/options.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// An option that only some executors take.
struct ExecutorRule {
  const char* option;
  const char* message;
  std::span<const std::string_view> executors;
};

// An option that needs another one, or does not go with it.
struct PairRule {
  const char* option;
  const char* other;
  bool needs;  // false: the two exclude each other
  const char* message;
};

[[nodiscard]] std::span<const ExecutorRule> executor_rules();
[[nodiscard]] std::span<const PairRule> pair_rules();

// True if the user gave the option.
using IsGiven = std::function<bool(std::string_view option)>;

// The options that are given against the tables. Errors name the option.
[[nodiscard]] Result<void> check_options(const IsGiven& is_given, const std::string& executor, Diagnostics&);

// ExportRequest::name: "" or a C identifier.
[[nodiscard]] Result<void> check_name(const std::string& name, Diagnostics&);

// `request` for the library `out` against the tables, and against what depends on `out`: a form that loaders take
// binds no weights, and only Intel HEX has addresses. Errors name the option.
[[nodiscard]] Result<void> check_request(const ExportRequest& request, const std::string& out, Diagnostics&);

}  // namespace byoc
