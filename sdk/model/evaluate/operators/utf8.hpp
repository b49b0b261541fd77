// Characters of strings that are UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace byoc::evaluate {

// The bytes of the character that begins at `at`, or 0 where the text is not UTF-8.
[[nodiscard]] std::size_t character_bytes(std::string_view text, std::size_t at);
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace byoc::evaluate
