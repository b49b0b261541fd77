// Text in HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace byoc {

// Text escaped for the content of an element or for an attribute in double quotes. A character that XML 1.0 does not
// allow becomes '?'.
[[nodiscard]] std::string markup_text(std::string_view text);

}  // namespace byoc
