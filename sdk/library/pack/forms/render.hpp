// Templates with lists, for the texts of packages (templates/ beside this).
//
//   @name@            a field, looked for from the innermost scope to the outermost
//   @name|json@       the same as part of a text in quotes, of the syntax that is named: json (also YAML, TOML, Python
//   and
//                     Starlark), xml, cmake
//   @each list@       a line of its own: what stands between it and its @end@ once for each scope of the list
//   @if name@         the same, where the field or list is there and not empty; @unless name@ where it is not
//
// Rows of a list have the field `comma`: "," in all but the last.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/template.hpp"

namespace byoc::forms {

struct Scope {
  std::map<std::string, std::string> fields = {};
  std::map<std::string, std::vector<Scope>> lists = {};
};

// The text of `file`, rendered in the last of `scopes`, whose others are around it. A file, a field or a filter that is
// not there is a bug.
[[nodiscard]] std::string render(EmbeddedFiles files, std::string_view file, const std::vector<const Scope*>& scopes);

}  // namespace byoc::forms
