// Files of ours in JSON say in "format" which version they are. The newest is the only one that is written, and the
// only one that readers know: an older file is brought up to it first, a version at a time, so that a new version takes
// one function and one sample, and every file that was ever written stays readable.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/json.hpp"

namespace byoc {

// Makes the next version of a document. Throws what nlohmann throws where a field is missing or of another type.
using Upgrade = void (*)(Json& document);

struct JsonFormat {
  const char* what;                   // "manifest"
  std::span<const Upgrade> upgrades;  // the first from version 1 to 2
  [[nodiscard]] constexpr std::size_t newest() const { return upgrades.size() + 1; }
};

// Brings `document` up to the newest version. `file` is for diagnostics. Errors: a version that is newer than that, or
// is none. Throws what nlohmann throws where there is no "format", and what the upgrades throw.
Result<void> bring_up_to_date(Json& document, const JsonFormat& format, const std::string& file, Diagnostics& diags);

}  // namespace byoc
