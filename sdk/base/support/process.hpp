// Running another program, without a shell.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

struct ProcessResult {
  int exit_code = 0;       // 128 + signal if it was killed by one
  bool timed_out = false;  // then it was killed
  std::string output;      // standard output
  std::string errors;      // standard error
};

struct ProcessOptions {
  std::string directory;                    // working directory; "" keeps ours
  unsigned timeout_seconds = 0;             // 0: none
  std::vector<std::string> variables = {};  // "NAME=VALUE", in place of the environment's of that name
  // Takes standard error in pieces as it comes; ProcessResult::errors stays empty then.
  std::function<void(std::string_view)> on_errors = {};
};

// Error only when the program could not be started (not found ...); a non-zero exit is a result.
[[nodiscard]] Result<ProcessResult> run_process(const std::vector<std::string>& argv, Diagnostics&,
                                                const ProcessOptions& = {});

// The full path of a command on PATH, or "".
[[nodiscard]] std::string find_program(const std::string& name);

}  // namespace byoc
