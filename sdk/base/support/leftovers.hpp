// Temporary files and folders, and started processes, that are removed or ended when a signal ends this process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <mutex>
#include <string>

namespace byoc {

// Removes a file, or a folder with everything in it, as far as possible. A removal that failed is tried once more.
void remove_whole(const std::string& path);

// A file or folder that is temporary as long as this lives. Made before the file is, and kept until it is gone.
class Leftover {
 public:
  explicit Leftover(std::string path);
  ~Leftover() { forget(); }
  Leftover(Leftover&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  Leftover& operator=(Leftover&& other) noexcept;
  // It is where it belongs.
  void forget();

 private:
  std::string path_;  // absolute; "" of one that is forgotten
};

// Calls `start`, which starts a program and returns its process, or -1. That is known here until forget_child(), which
// comes after its end and before it is reaped. Nothing is started while a signal ends this process.
[[nodiscard]] pid_t start_child(const std::function<pid_t()>& start);
void forget_child(pid_t child);

// Signals wait while one of these lives: for what happens as a whole or not at all, and takes no time.
class Uninterrupted {
 public:
  Uninterrupted();

 private:
  std::unique_lock<std::mutex> lock_;
};

// Removes what is temporary and ends the processes that were started: the last thing that a process does.
void take_leftovers();

// For programs, once. SIGINT, SIGTERM and SIGHUP, unless ignored, then remove the leftovers and end the process as
// usual. A thread of its own waits for them.
void take_leftovers_on_signals();

}  // namespace byoc
