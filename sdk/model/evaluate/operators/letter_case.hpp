// Letters in UTF-8 in the other case.
#pragma once

#include <string>
#include <string_view>

namespace byoc::evaluate {

// Letters of the Latin, Greek, Cyrillic and Armenian alphabets that have one counterpart; everything else stays, what
// is no UTF-8 too.
[[nodiscard]] std::string lower_case(std::string_view);
[[nodiscard]] std::string upper_case(std::string_view);

}  // namespace byoc::evaluate
