// What is in a library, a program or a manifest, for people and for programs.
#pragma once

#include <string>

#include "byoc/inspect.hpp"

namespace byoc::cli {

[[nodiscard]] std::string contents_text(const FileContents& contents);
// docs/formats.md
[[nodiscard]] std::string contents_json(const FileContents& contents);

}  // namespace byoc::cli
