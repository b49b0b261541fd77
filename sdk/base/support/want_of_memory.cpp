#include "sdk/base/support/want_of_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
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

// Takes no memory itself. A worker's limit of addresses is told by who started it.
std::array<char, 64> bound_text() {
  std::array<char, 64> out{};
  rlimit data{}, addresses{};
  if (::getrlimit(RLIMIT_DATA, &data) != 0 || data.rlim_cur == RLIM_INFINITY) return out;
  if (::getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur < data.rlim_cur) return out;
  std::snprintf(out.data(), out.size(), "at most %llu MiB%s", static_cast<unsigned long long>(data.rlim_cur >> 20U),
                may_end ? "; --memory-limit sets it" : "");  // an option of the programs that may be ended
  return out;
}

}  // namespace

std::string memory_bound() { return bound_text().data(); }

void may_end_for_want_of_memory() { may_end = true; }

void end_for_want_of_memory() {
  std::set_new_handler(nullptr);
  try {
    take_leftovers();
  } catch (const std::bad_alloc&) {  // what is not removed stays
  }
  const std::array<char, 64> bound = bound_text();
  std::array<char, 160> text{};
  const int length = bound[0] == '\0' ? std::snprintf(text.data(), text.size(), "error: not enough memory\n")
                                      : std::snprintf(text.data(), text.size(),
                                                      "error: not enough memory (expected %s)\n", bound.data());
  (void)!::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(length));
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
