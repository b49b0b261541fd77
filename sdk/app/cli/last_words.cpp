#include "sdk/app/cli/last_words.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "sdk/base/support/leftovers.hpp"
#include "sdk/codegen/codegen/running.hpp"

namespace byoc::cli {
namespace {

// Handlers get no arguments.
struct Watch {
  Session* session = nullptr;
  std::function<int()> report;
  pid_t process = 0;
  bool done = false;
};
Watch& watch() {
  static auto& one = *new Watch;  // outlives what exit() destroys
  return one;
}

void on_exit() {
  Watch& w = watch();
  if (std::exchange(w.done, true) || ::getpid() != w.process) return;
  Diagnostics& diags = w.session->diags;
  plugin::Untold::tell(diags);
  if (const auto* call = plugin::RunningCall::now())
    diags.error(call->where, {},
                call->plugin + ": ended the process " + call->call + "; with --isolate it has one of its own");
  else
    diags.error({}, {}, "something that is no part of byoc ended the process", {}, "that of a plug-in: --isolate");
  w.session->cause = kPluginFailed;
  const int code = w.report();
  std::fflush(nullptr);
  take_leftovers();
  ::_exit(code);
}

// A line for signal handlers: it takes no memory and no locks.
class Line {
 public:
  void add(const char* text) { add(text, std::strlen(text)); }
  void add(const std::string& text) { add(text.data(), text.size()); }
  void add(const char* text, std::size_t size) {
    size = std::min(size, text_.size() - used_);
    std::memcpy(text_.data() + used_, text, size);
    used_ += size;
  }
  void write() const { (void)!::write(STDERR_FILENO, text_.data(), used_); }

 private:
  std::array<char, 1024> text_{};
  std::size_t used_ = 0;
};

// The signal is blocked here and has its default action: raised again, it ends the process when this returns.
void on_crash(int number) {
  const Watch& w = watch();
  const plugin::RunningCall* call = ::getpid() == w.process ? plugin::RunningCall::now() : nullptr;
  if (call != nullptr) {
    Line line;
    const char* const name = ::sigabbrev_np(number);
    if (w.session->json_diagnostics)
      line.add("{\"level\":\"error\",\"message\":\"");
    else
      line.add("error: ");
    line.add(call->plugin);
    line.add(": died of SIG");
    line.add(name == nullptr ? "?" : name);
    line.add(" ");
    line.add(call->call);
    line.add("; with --isolate it takes byoc not with it");
    line.add(w.session->json_diagnostics ? "\"}\n" : "\n");
    line.write();
  }
  (void)::raise(number);
}

}  // namespace

void watch_for_ends(Session& session, std::function<int()> report) {
  watch().session = &session;
  watch().report = std::move(report);
  watch().process = ::getpid();
  std::atexit(on_exit);
  std::at_quick_exit(on_exit);
  // A stack of its own: a plug-in may have used up the other.
  static std::array<char, 1 << 16> stack;
  const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  (void)::sigaltstack(&other, nullptr);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction action{};
    // A sanitizer that has a handler there knows more.
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action = {};
    action.sa_handler = on_crash;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
    ::sigaction(number, &action, nullptr);
  }
}

void all_is_done() { watch().done = true; }

}  // namespace byoc::cli
