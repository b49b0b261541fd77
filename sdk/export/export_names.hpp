// The names for the files and symbols of an export.
#pragma once

#include <string>

#include "sdk/base/support/name_table.hpp"

namespace byoc {

struct ExportNames {
  std::string prefix;           // of every public symbol: "kws"
  std::string header;           // "kws.h"
  std::string internal_header;  // "kws_internal.h"
};

[[nodiscard]] inline ExportNames names_of(const std::string& model) {
  const std::string prefix = to_identifier(model);
  return {prefix, prefix + ".h", prefix + "_internal.h"};
}

}  // namespace byoc
