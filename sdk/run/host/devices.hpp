// Handles that a program gives a model (<model>_set_devices). Internal to this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "byoc/rt/threads.h"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc::runtime {

inline constexpr const char* kThreads = "threads";

// The handles of a model with these devices, laid out as its <model>_devices_t: the threads, all others null. Error: it
// has no threads.
[[nodiscard]] Result<std::vector<const void*>> handles_of(std::span<const std::string> devices,
                                                          const byoc_threads_t* threads, const std::string& file,
                                                          Diagnostics&);

}  // namespace byoc::runtime
