// The templates of this folder. Internal to it.
#pragma once

#include "sdk/base/support/template.hpp"

namespace byoc::executor {

EmbeddedFiles template_files();  // embedded by the build

[[nodiscard]] inline std::string fill_template(std::string_view file,
                                               const std::map<std::string, std::string>& fields) {
  return byoc::fill_template(template_files(), file, fields);
}

}  // namespace byoc::executor
