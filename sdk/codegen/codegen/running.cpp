#include "sdk/codegen/codegen/running.hpp"

#include <unistd.h>

#include <atomic>
#include <vector>

namespace byoc::plugin {
namespace {

thread_local const RunningCall* of_this_thread = nullptr;
// The last one that began, for threads of a plug-in's own. Each takes back what it put there: one that has ended is
// never left.
std::atomic<const RunningCall*> of_any_thread = nullptr;
thread_local const Untold* last_untold = nullptr;

}  // namespace

RunningCall::RunningCall(const std::string& file, const std::string& name, const char* what)
    : where(file), plugin(name), call(what), outer_(of_this_thread), process_(::getpid()) {
  of_this_thread = this;
  of_any_thread = this;
}

RunningCall::~RunningCall() {
  of_this_thread = outer_;
  const RunningCall* self = this;
  of_any_thread.compare_exchange_strong(self, outer_);
}

const RunningCall* RunningCall::now() {
  const RunningCall* const found = of_this_thread != nullptr ? of_this_thread : of_any_thread.load();
  return found != nullptr && found->process_ == ::getpid() ? found : nullptr;
}

Untold::Untold(const Repeats& diags) : diags_(diags), outer_(last_untold) { last_untold = this; }
Untold::~Untold() { last_untold = outer_; }

void Untold::tell(Diagnostics& to) {
  std::vector<const Untold*> all;
  for (const Untold* u = last_untold; u != nullptr; u = u->outer_) all.insert(all.begin(), u);
  for (const Untold* u : all) u->diags_.tell(to);
}

}  // namespace byoc::plugin
