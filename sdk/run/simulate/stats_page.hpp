// The figures of a run as a page.
#pragma once

#include <string>

#include "byoc/interface.hpp"
#include "byoc/run.hpp"
#include "byoc/target.hpp"
#include "sdk/run/simulate/stats.hpp"

namespace byoc {

// HTML: headline(), the figures of stats_table() with a bar for each step and its share, what a comparison found, where
// memory goes.
[[nodiscard]] std::string stats_page(const ModelInterface&, const TargetSpec&, const RunResult&,
                                     const RunOrigin& origin = {});

}  // namespace byoc
