// Text in HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace byoc {

// As the content of an element or of an attribute in double quotes; what XML 1.0 cannot say becomes '?'.
[[nodiscard]] std::string markup_text(std::string_view text);

}  // namespace byoc
