// Text in HTML, XML and Markdown. What has an effect and no shape is shown as visible.hpp says.
#pragma once

#include <string>
#include <string_view>

namespace byoc {

// Text escaped for the content of an element or for an attribute in double quotes.
[[nodiscard]] std::string markup_text(std::string_view text);

// Text on one line of Markdown (CommonMark 0.31, "Backslash escapes"), which is no heading, emphasis, link, code or
// cell of a table.
[[nodiscard]] std::string markdown_text(std::string_view text);

}  // namespace byoc
