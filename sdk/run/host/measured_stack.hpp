// Measures the stack depth of a call. Internal to this folder.
#pragma once

#include <cstdint>
#include <functional>

namespace byoc::runtime {

// Runs `body` on a painted stack of 8 MiB: how many bytes of it were written to. It ends the process with a signal
// where that is not enough, as any stack that overflows does; 0 where there is no memory for it: `body` has not run
// then.
[[nodiscard]] std::uint64_t measure_stack(const std::function<void()>& body);

}  // namespace byoc::runtime
