// Which plug-in this process has called and is still waiting for: a plug-in that ends the process from within can be
// named then by whoever is told of its end.
#pragma once

#include <sys/types.h>

#include <string>

#include "sdk/support/repeats.hpp"

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

  // Of this thread, or else of any; null if none runs, or if this process is a fork of the one that made the call.
  // Takes no lock and no memory: for signal handlers too.
  [[nodiscard]] static const RunningCall* now();

  const std::string& where;
  const std::string& plugin;
  const char* const call;

 private:
  const RunningCall* const outer_;
  const pid_t process_;
};

// What was told of a codegen and is not handed on yet, while this lives.
class Untold {
 public:
  explicit Untold(const Repeats& diags);
  Untold(const Untold&) = delete;
  Untold& operator=(const Untold&) = delete;
  ~Untold();
  // All of this thread, in the order in which they were begun.
  static void tell(Diagnostics& to);

 private:
  const Repeats& diags_;
  const Untold* const outer_;
};

}  // namespace byoc::plugin
