// <prefix>_set_hooks(): what a program is called with around steps. Internal to this folder.
#pragma once

#include <set>
#include <string>

#include "sdk/program/executor/aot/calls.hpp"
#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// The steps that PrintRequest::taps names: by number, symbol, or a part of a node's description. Error: one that names
// none.
[[nodiscard]] Result<std::set<std::size_t>> tapped_steps(const PrintRequest& request, Diagnostics&);

// All of these give "" without PrintRequest::hooks.
[[nodiscard]] std::string hooks_header_text(const PrintRequest& request);
[[nodiscard]] std::string hooks_text(const PrintRequest& request);
[[nodiscard]] std::string hooks_local(const PrintRequest& request);  // of a function that calls steps
[[nodiscard]] std::string before_step(const PrintRequest& request, std::size_t step);
[[nodiscard]] std::string after_step(const PrintRequest& request, const CallWriter& writer, std::size_t step,
                                     bool tapped);

}  // namespace byoc::executor
