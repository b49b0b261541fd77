// Compile jobs in a process of their own: LLVM may abort, exit or run wild on hostile input, and must not take us with
// it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sdk/base/support/helper_program.hpp"
#include "sdk/base/support/message.hpp"
#include "sdk/base/support/worker.hpp"
#include "sdk/library/compile/compiler.hpp"

namespace byoc::compile {

// The worker's side of what this folder asks for.
extern const Service kService;

// The jobs of a worker. Each is answered with an outcome.
enum class Ask : std::uint32_t { source, module, link, symbols, rename, lld };

// Asks a worker and hands over its object and diagnostics; `arguments` are what the job of `ask` reads (jobs.hpp). A
// worker that dies is an error that names `what` and says what it wrote to standard error last; so is one beyond the
// limits. A process that is a worker itself does the job at once.
[[nodiscard]] Result<ObjectBytes> run_in_worker(const std::string& what, Ask ask, std::string_view arguments,
                                                Diagnostics&, const WorkerLimits& limits = {});

// Workers that have done their job stay for the next one while one of these lives, in whatever thread: a new process
// takes 15 ms.
class KeptWorkers {
 public:
  KeptWorkers();
  ~KeptWorkers();
  KeptWorkers(const KeptWorkers&) = delete;
  KeptWorkers& operator=(const KeptWorkers&) = delete;
};

// A worker that does one job after the other: one that waits for work, or a new one.
class JobWorker {
 public:
  explicit JobWorker(const WorkerLimits& limits);
  ~JobWorker();
  JobWorker(const JobWorker&) = delete;
  JobWorker& operator=(const JobWorker&) = delete;

  // The answer; nothing if the worker died of it. `temporary`: where it has its temporary files; "": as we do.
  [[nodiscard]] std::optional<std::string> ask(Ask ask, std::string_view arguments, const std::string& temporary);
  [[nodiscard]] const WorkerEnd& end() const { return worker_->end(); }

 private:
  std::unique_ptr<Worker> worker_;
  WorkerLimits limits_;
};

// The pieces of it: what a worker answers with, and what this process makes of that.
[[nodiscard]] std::string encode_outcome(const Result<ObjectBytes>& object, const Diagnostics& diags);
[[nodiscard]] Result<ObjectBytes> decode_outcome(const std::string& what, std::string_view answer, Diagnostics&);
Failure report_death(const std::string& what, const WorkerEnd& end, Diagnostics&);

}  // namespace byoc::compile
