// Licences as SPDX expressions: "Apache-2.0", "(MIT OR BSD-3-Clause)".
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "sdk/base/support/valid_text.hpp"

namespace byoc {

// Checks the characters only, not whether the licence exists.
[[nodiscard]] inline bool is_licence(std::string_view text) {
  constexpr std::string_view kOthers = "-.+:() ";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c != '_' && is_identifier(std::string{'a', c})) || kOthers.find(c) != kOthers.npos;
  });
}
inline constexpr TextRule kLicence{is_licence, "an SPDX licence expression, as in Apache-2.0"};

}  // namespace byoc
