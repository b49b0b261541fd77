// The contents of a library, a program or a manifest, for people and for programs.
#pragma once

#include <string>

#include "byoc/inspect.hpp"

namespace byoc::cli {

[[nodiscard]] std::string contents_text(const FileContents& contents);
// docs/formats.md
[[nodiscard]] std::string contents_json(const FileContents& contents);

// The contents as a page for people, under a title.
[[nodiscard]] std::string contents_page(const FileContents& contents, const std::string& title);

}  // namespace byoc::cli
