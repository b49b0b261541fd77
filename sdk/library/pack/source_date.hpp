// The time of everything that is written.
#pragma once

#include <cstdint>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// SOURCE_DATE_EPOCH, or 0: seconds since 1970. Error: one that is no number.
[[nodiscard]] Result<std::uint64_t> source_date(Diagnostics&);

}  // namespace byoc
