#include "sdk/base/support/want_of_memory.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>

#include "sdk/base/support/leftovers.hpp"

namespace byoc {
namespace {

std::mutex mutex;
int users = 0;  // of the handler
std::atomic<bool> may_end = false;

}  // namespace

void may_end_for_want_of_memory() { may_end = true; }

void end_for_want_of_memory() {
  std::set_new_handler(nullptr);
  try {
    take_leftovers();
  } catch (const std::bad_alloc&) {  // what is not removed stays
  }
  constexpr char kText[] = "error: not enough memory\n";
  (void)!::write(STDERR_FILENO, kText, sizeof kText - 1);
  ::_exit(1);
}

void no_memory() {
  if (!may_end) throw std::bad_alloc();
  end_for_want_of_memory();
}

void on_terminate() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    end_for_want_of_memory();
  } catch (...) {
  }
  std::abort();
}

NoBadAlloc::NoBadAlloc() {
  if (!may_end) return;
  const std::lock_guard lock(mutex);
  if (users != 0 || std::get_new_handler() == nullptr) ++users;
  if (users == 1) std::set_new_handler(end_for_want_of_memory);
}

NoBadAlloc::~NoBadAlloc() {
  if (!may_end) return;
  const std::lock_guard lock(mutex);
  if (users != 0 && --users == 0) std::set_new_handler(nullptr);
}

}  // namespace byoc
