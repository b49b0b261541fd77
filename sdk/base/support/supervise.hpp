// A process between a worker and whoever started it, which outlives the worker and ends whatever that leaves behind:
// also what has left its group, its session and its parent.
#pragma once

namespace byoc {

// Forks. Returns in the child, which is the worker; what called stays behind it, closes `channel` and ends as the
// worker does, once all that came of it has ended. SIGTERM, also that of PR_SET_PDEATHSIG, ends the worker. Returns in
// the caller as well, without a child, where there can be none. Not against somebody who looks for this process and
// kills it first: that takes a process namespace.
void supervise(int channel);

}  // namespace byoc
