// <prefix>_begin() and <prefix>_step(): a run that is left between steps. Internal to this folder.
#pragma once

#include <set>
#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// Both give "" without PrintRequest::resumable. `tapped`: as of root_text().
[[nodiscard]] std::string resume_header_text(const PrintRequest& request);
[[nodiscard]] std::string resume_text(const PrintRequest& request, const std::set<std::size_t>& tapped);

}  // namespace byoc::executor
