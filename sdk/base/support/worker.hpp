// Work in a process of its own, with a limit on its time and memory: for code that may crash, hang, exit or run wild,
// and must not take this process with it. A worker is a program that is started anew (helper_program.hpp), asked for a
// service by name; it has what it is sent, and nothing of this process's memory.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace byoc {

struct WorkerLimits {
  unsigned seconds = 0;  // wall-clock time of one job; 0: none
  // Bytes of address space beyond those of the program that was just started, and of what is sent here; 0: none.
  std::uint64_t memory = 0;
  std::uint64_t mapped = 0;  // bytes of files that the service maps, which do not count
  bool operator==(const WorkerLimits&) const = default;
};

// Why a worker is no more.
struct WorkerEnd {
  enum class Kind { alive, done, exited, signalled, timed_out, out_of_memory, garbled, not_started };
  Kind kind = Kind::alive;
  int code = 0;  // exit code, signal, or errno of not_started; 0 there: `output` says why
  WorkerLimits limits = {};
  std::string output = {};  // the last of what it wrote to standard output and standard error

  // "died of signal 11 (Segmentation fault)", "took longer than 60 s", "ended the process with exit code 3" ...; with
  // the last line of the output behind it, if there is one.
  [[nodiscard]] std::string text() const;
};

inline constexpr int kGivenDescriptor = 6;  // of a worker that is given one

// A worker and the messages that go back and forth. Whatever it sends is untrusted. Any number may live at a time, in
// any threads; one thread at a time uses one.
class Worker {
 public:
  // The worker's side.
  class Channel {
   public:
    explicit Channel(int fd) : fd_(fd) {}
    // False: nobody is there any more.
    bool send(std::string_view message);
    std::optional<std::string> receive();

   private:
    int fd_;
  };

  // Starts the helper program and asks it for `service`, which is given `arguments` and the channel. The process ends
  // without running destructors or exit handlers once the service returns. Its standard input is empty, its output is
  // kept from this process's; environment and working folder are this process's. It dies when this process does.
  // `given`: a descriptor that it has, too; -1: none.
  Worker(std::string_view service, std::string_view arguments, const WorkerLimits& limits, int given = -1);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Ends it and all processes that came of it, also those that left its group and session.
  ~Worker();

  // A new job begins: its time and the bytes it may send count from here.
  void begin_job();
  // False, nothing: the worker is no more, and end() says why.
  bool send(std::string_view message);
  std::optional<std::string> receive();
  // Closes the connection and waits for the worker, until the job's time is up. Kind::done if it ended by itself.
  const WorkerEnd& finish();
  // True if receive() would not wait for a message to begin.
  [[nodiscard]] bool has_answer() const;
  [[nodiscard]] const WorkerEnd& end() const { return end_; }

 private:
  enum class Wait { ready, closed, expired };
  struct Shared;

  bool start(int given);
  Wait wait_for(short events);
  bool read_exactly(char* to, std::size_t size);
  void drain_output();
  [[nodiscard]] bool is_dead(bool wait) const;
  bool reap(bool wait);
  void stop(WorkerEnd::Kind kind);
  void close_all();

  WorkerLimits limits_;
  WorkerEnd end_;
  pid_t pid_ = -1;
  int channel_ = -1;
  int output_ = -1;
  int lifeline_ = -1;  // closed at the end of this process, whatever ends it
  Shared* shared_ = nullptr;
  std::uint64_t received_ = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

// True in a worker. A process that a worker starts must stay in its group, to be ended with it.
[[nodiscard]] bool is_worker();

// The result of one job: its bytes, or the reason why there are none.
struct JobResult {
  std::optional<std::string> bytes;
  WorkerEnd end;  // Kind::done with bytes
};
// A worker that lives for one answer of `service`.
[[nodiscard]] JobResult run_job(std::string_view service, std::string_view arguments, const WorkerLimits& limits,
                                int given = -1);

}  // namespace byoc
