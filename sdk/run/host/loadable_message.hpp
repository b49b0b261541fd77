// Linked libraries in messages to the process that loads them, which is given the open file besides.
#pragma once

#include "sdk/base/support/message.hpp"
#include "sdk/run/host/loadable.hpp"

namespace byoc::runtime {

void put_loadable(const Loadable& library, MessageWriter& out);

// The worker's side. What it gives points into the message.
[[nodiscard]] Loadable get_loadable(MessageReader& in);
// Loads it from the descriptor that the worker was given (kGivenDescriptor). Errors: those of load().
[[nodiscard]] Result<LoadedModule> load_given(Loadable library, Diagnostics& diags);

}  // namespace byoc::runtime
