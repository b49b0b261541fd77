// Fixed text of generated files lives in folders called templates/, which the build embeds (cmake/ByocEmbed.cmake).
//
//   @name@            a field, looked for from the innermost scope to the outermost
//   @name|json@       the field as part of a text in quotes, of the syntax that is named: json (also YAML, TOML, Python
//                     and Starlark), xml, markdown, cmake
//   @each list@       a line of its own: what stands between it and its @end@ once for each scope of the list
//   @if name@         a line of its own: what stands between it and its @end@ where the field or list is there and not
//                     empty; @unless name@ where it is not
//
// Rows of a list have the field `comma`: "," in all but the last.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace byoc {

using EmbeddedFiles = std::span<const std::pair<std::string_view, std::string_view>>;  // {file name, text}

struct Scope {
  std::map<std::string, std::string> fields = {};
  std::map<std::string, std::vector<Scope>> lists = {};
};

// The text of `file`, rendered in the last of `scopes`, whose others are around it. A file, a field or a filter that is
// not there is a bug.
[[nodiscard]] std::string render(EmbeddedFiles files, std::string_view file, const std::vector<const Scope*>& scopes);
// The text of `file` in a scope of these fields.
[[nodiscard]] std::string fill_template(EmbeddedFiles files, std::string_view file,
                                        const std::map<std::string, std::string>& fields);

}  // namespace byoc
