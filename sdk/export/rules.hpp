// The options of an export that go together: tables that exports by the command line and by the API are held against.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "byoc/options.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// An option that only some executors take.
struct ExecutorRule {
  const char* option;
  bool (*given)(const ExportRequest&);
  const char* message;
  std::span<const std::string_view> executors;
};

[[nodiscard]] std::span<const ExecutorRule> executor_rules();

// ExportRequest::name: "" or a C identifier.
[[nodiscard]] Result<void> check_name(const std::string& name, Diagnostics&);

// `request` for the library `out` against the tables, and against what depends on `out`: a form that loaders take
// binds no weights, and only Intel HEX has addresses. Errors name the option.
[[nodiscard]] Result<void> check_request(const ExportRequest& request, const std::string& out, Diagnostics&);

}  // namespace byoc
