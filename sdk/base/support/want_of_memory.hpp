// Ends the process with a message when memory runs out where nobody can catch std::bad_alloc.
#pragma once

#include <string>

namespace byoc {

// The limit of this process's memory, in words for what an error expects; "" where there is none.
[[nodiscard]] std::string memory_bound();

// A program that may be ended so calls this at its start: byoc, and workers. In others, as those that use libbyoc,
// NoBadAlloc does nothing.
void may_end_for_want_of_memory();

// Says so on standard error and ends the process with exit code 1; its leftovers go with it. For handlers.
[[noreturn]] void end_for_want_of_memory();

// Does so in a program that may be ended, and throws std::bad_alloc in others.
[[noreturn]] void no_memory();

// A handler for std::set_terminate: an uncaught exception for want of memory ends the process with that message; any
// other aborts.
[[noreturn]] void on_terminate();

// While one of these lives, want of memory ends the process where it would have thrown: for calls of code that no
// exception may cross, as LLVM's, which is left half done. A handler that is set already (a worker's) stays.
class NoBadAlloc {
 public:
  NoBadAlloc();
  ~NoBadAlloc();
  NoBadAlloc(const NoBadAlloc&) = delete;
  NoBadAlloc& operator=(const NoBadAlloc&) = delete;
};

}  // namespace byoc
