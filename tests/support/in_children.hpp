// Work in forked processes, so that a crash is the result of one item and not the end of all.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace byoc::test {

struct ChildResult {
  std::string text;   // what the work returned
  std::string crash;  // "" or how the process ended instead: "SIGSEGV", "no end within 60 s", with what it said last
};

struct ChildOptions {
  std::size_t jobs = 1;           // processes at a time
  std::size_t chunk = 1;          // items that one process does one after the other, sharing what it keeps
  unsigned timeout_seconds = 60;  // for one item
};

// Does work(0) .. work(count - 1) in processes forked from this one, which must have no other threads then. An item
// that crashes ends its process; the rest of its chunk gets another. done(i, result) is called here, as they finish.
void run_in_children(std::size_t count, const ChildOptions& options,
                     const std::function<std::string(std::size_t)>& work,
                     const std::function<void(std::size_t, const ChildResult&)>& done);

}  // namespace byoc::test
