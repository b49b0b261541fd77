// Splits a string into pieces, for StringSplit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace byoc::evaluate {

// The pieces between delimiters; of an empty delimiter, those between runs of white space, which are never empty. After
// `most` cuts the rest stays as it is.
[[nodiscard]] std::vector<std::string> pieces_of(std::string_view text, std::string_view delimiter, std::int64_t most);

}  // namespace byoc::evaluate
