// The names by which the header and the library of one export know each other (sdk/target/module/tied_name.hpp).
// Internal to this folder.
#pragma once

#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// Hexadecimal digits that follow from the target and from `interface`: the text of the header that says what a caller
// has to do. Exports with other weights of one layout have the same.
[[nodiscard]] std::string layout_hash(const PrintRequest& request, const std::string& interface);

// For the header: declares the tied names, and makes programs use them.
[[nodiscard]] std::string tie_header_text(const PrintRequest& request, const std::string& layout);

// For the root, before and behind its functions: defines the plain names, and the tied names as the same functions.
[[nodiscard]] std::string untie_text(const PrintRequest& request);
[[nodiscard]] std::string tie_text(const PrintRequest& request, const std::string& layout);

}  // namespace byoc::executor
