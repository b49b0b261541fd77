// The templates of this folder. Internal to it.
#pragma once

#include "sdk/base/support/template.hpp"

namespace byoc::executor {

EmbeddedFiles template_files();  // embedded by the build

[[nodiscard]] inline std::string fill_template(std::string_view file,
                                               const std::map<std::string, std::string>& fields) {
  return byoc::fill_template(template_files(), file, fields);
}

// The first line of byoc's own headers where they become files of a library.
inline constexpr const char* kLicenceLine = "/* SPDX-License-Identifier: Apache-2.0 */\n";

}  // namespace byoc::executor
