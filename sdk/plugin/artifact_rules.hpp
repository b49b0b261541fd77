// What the names and numbers that come with artifacts may be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "byoc/arrangement.hpp"

namespace byoc::plugin {

// A file name that stays where it is put and cannot break out of an #include.
[[nodiscard]] bool is_file_name(const std::string& name, bool folders);

// A language standard of C sources; "" is the usual one.
[[nodiscard]] bool is_standard(const std::string& name);

struct BrokenRule {
  std::string what, found, expected;
};

// Of an arrangement of a constant of so many bytes: it is one, reads nothing beyond the constant, and makes no more
// than 2^40 bytes.
[[nodiscard]] std::optional<BrokenRule> check_arrangement(const codegen::Arrangement& how, std::uint64_t source_bytes);

}  // namespace byoc::plugin
