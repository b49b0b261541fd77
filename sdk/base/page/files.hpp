// The fixed text of pages. Internal to this folder.
#pragma once

#include <algorithm>
#include <cassert>
#include <string_view>

#include "sdk/base/support/template.hpp"

namespace byoc::page {

EmbeddedFiles page_files();  // embedded by the build

// A file that is not there is a bug.
[[nodiscard]] inline std::string_view file_text(std::string_view name) {
  const EmbeddedFiles files = page_files();
  const auto it = std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.first == name; });
  assert(it != files.end());
  return it->second;
}

}  // namespace byoc::page
