// Which options of an export go together: one table for the command line, the API and the documentation.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "byoc/options.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

// An option that only some executors take.
struct ExecutorRule {
  const char* option;
  bool (*given)(const ExportRequest&);
  const char* message;
  std::span<const std::string_view> executors;
};

// An option that needs another one, or does not go with it.
struct PairRule {
  const char* option;
  bool (*given)(const ExportRequest&);
  const char* other;
  bool (*other_given)(const ExportRequest&);
  bool needs;  // false: the two exclude each other
  const char* message;
};

[[nodiscard]] std::span<const ExecutorRule> executor_rules();
[[nodiscard]] std::span<const PairRule> pair_rules();

// ExportRequest::name: "" or a C identifier.
[[nodiscard]] Result<void> check_name(const std::string& name, Diagnostics&);

// `request` for the library `out` against both tables, and against what depends on `out`: a form that loaders take
// binds no weights, and only Intel HEX has addresses. Errors name the option.
[[nodiscard]] Result<void> check_request(const ExportRequest& request, const std::string& out, Diagnostics&);

}  // namespace byoc
