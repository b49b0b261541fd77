// The C of the root: <prefix>_run and, of a model with an instance, <prefix>_init, _reset and _deinit. Internal to this
// folder.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// `tapped`: of the steps, by number.
[[nodiscard]] std::string root_text(const PrintRequest& request, const std::set<std::size_t>& tapped);

}  // namespace byoc::executor
