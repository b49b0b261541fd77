// The plug-in that this process has called and waits for. If a plug-in ends the process from within, the message about
// that can name it.
#pragma once

#include <sys/types.h>

#include <string>

#include "sdk/base/support/repeats.hpp"

namespace byoc::plugin {

// A call of a plug-in, from its construction to its destruction, on one thread.
class RunningCall {
 public:
  // `where` is its file and `plugin` names it in diagnostics ("codegen 'com.acme.npu'"); both outlive this. `call` is
  // "in compile()".
  RunningCall(const std::string& where, const std::string& plugin, const char* call);
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;
  ~RunningCall();

  // The call of this thread, or else of any thread; null if none runs, or if this process is a fork of the one that
  // made the call. It takes no lock and no memory, and is safe in signal handlers.
  [[nodiscard]] static const RunningCall* now();

  const std::string& where;
  const std::string& plugin;
  const char* const call;

 private:
  const RunningCall* const outer_;
  const pid_t process_;
};

// Diagnostics about a codegen that have not been handed on yet, while this object lives.
class Untold {
 public:
  explicit Untold(const Repeats& diags);
  Untold(const Untold&) = delete;
  Untold& operator=(const Untold&) = delete;
  ~Untold();
  // Hands on all pending diagnostics of this thread, in the order in which they were begun.
  static void tell(Diagnostics& to);

 private:
  const Repeats& diags_;
  const Untold* const outer_;
};

}  // namespace byoc::plugin
