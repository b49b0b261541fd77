// A process between a worker and whoever started it, which outlives the worker and ends whatever that leaves behind:
// also what has left its group, its session and its parent.
#pragma once

namespace byoc {

// Forks, in a program that has just been started and has no other thread. Returns in the child, which is the worker;
// what called stays behind it, closes `channel` and ends as the worker does, once all that came of it has ended.
// SIGTERM ends the worker, and so does the end of `lifeline`: a pipe whose other end belongs to whoever started this
// program. Returns in the caller as well, without a child, where there can be none. Not against somebody who looks for
// this process and kills it first: that takes a process namespace.
void supervise(int channel, int lifeline);

}  // namespace byoc
