// Lengths of open dimensions that the user states.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Puts the bound lengths in the place of their symbols. Errors: no symbol of the name, a negative length.
Result<void> bind_dims(ir::Graph&, const std::map<std::string, std::int64_t>& bindings, Diagnostics&);

// Sets the ranges of symbols. Errors: no symbol of the name, an empty or negative range.
Result<void> set_ranges(ir::Graph&, const std::map<std::string, DimRange>& ranges, Diagnostics&);

}  // namespace byoc
