// The description of a target as a JSON value, for files that have one within.
#pragma once

#include <string>

#include "sdk/base/support/json.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {

// Does what parse_target() does, for a value that is parsed already.
[[nodiscard]] Result<TargetSpec> read_target(const SortedJson& description, const std::string& file, Diagnostics&);

// The value whose text is write_target()'s.
[[nodiscard]] Json target_json(const TargetSpec&);

}  // namespace byoc
