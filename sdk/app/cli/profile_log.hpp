// Parses the output of byoc/rt/profile.h on a serial port.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/diagnostics.hpp"

namespace byoc::cli {

struct ProfileLog {
  std::string model;
  std::string unit;                   // "cycles", "instructions", "nanoseconds"
  std::vector<std::uint64_t> counts;  // of each step
  std::vector<std::string> symbols;
  std::size_t runs = 0;  // whole ones that the log has; the last is here
};

// The last run of `model` that is whole; a log may have other lines, and anything before a line of ours. Errors: none
// is there, or one of another format.
[[nodiscard]] Result<ProfileLog> read_profile_log(std::string_view text, const std::string& model,
                                                  const std::string& file, Diagnostics&);

}  // namespace byoc::cli
