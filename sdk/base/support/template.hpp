// Fixed text of generated files lives in folders called templates/, which the build embeds (cmake/ByocEmbed.cmake).
// @NAME@ in it is filled in.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace byoc {

using EmbeddedFiles = std::span<const std::pair<std::string_view, std::string_view>>;  // {file name, text}

// The text of `file` with every @NAME@ replaced by fields.at(NAME). A file that is not there, and a name without a
// field, is a bug.
[[nodiscard]] std::string fill_template(EmbeddedFiles files, std::string_view file,
                                        const std::map<std::string, std::string>& fields);

}  // namespace byoc
