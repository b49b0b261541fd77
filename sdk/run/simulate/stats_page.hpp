// The figures of a run as a page.
#pragma once

#include <string>

#include "byoc/interface.hpp"
#include "byoc/run.hpp"
#include "byoc/target.hpp"

namespace byoc {

// HTML: the figures of stats_table() with a bar for each step, what a comparison found, where memory goes.
[[nodiscard]] std::string stats_page(const ModelInterface&, const TargetSpec&, const RunResult&);

}  // namespace byoc
