#include "sdk/base/support/mapping_guard.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <mutex>

namespace byoc {

// A list that the handler can walk at any time: ranges are added in front, and used again rather than freed.
struct Range {
  std::atomic<std::uintptr_t> begin{0};  // 0: free
  std::atomic<std::size_t> size{0};
  std::atomic<std::atomic<bool>*> lost{nullptr};
  Range* next = nullptr;
};

namespace {

std::atomic<Range*> ranges{nullptr};
std::uintptr_t page_bytes = 0;
struct sigaction previous{};

void on_bus_error(int number, siginfo_t* info, void*) {
  if (info->si_code > 0 && mend_mapping(info->si_addr)) return;
  ::sigaction(number, &previous, nullptr);  // the fault comes again, and is the other's
  if (info->si_code <= 0) ::raise(number);
}

std::atomic<bool> guards = false;

void set_handler() {
  guards = true;
  page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action{};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGBUS, &action, &previous);
}

}  // namespace

void guard_mappings() {
  static std::once_flag once;
  std::call_once(once, set_handler);
}

bool guards_mappings() { return guards; }

bool mend_mapping(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (Range* r = ranges.load(); r != nullptr; r = r->next) {
    const std::uintptr_t begin = r->begin.load();
    const std::size_t size = r->size.load();
    if (begin == 0 || at < begin || at - begin >= size) continue;
    // The pages behind a missing page are missing, too.
    const std::uintptr_t page = at / page_bytes * page_bytes;
    void* const from = reinterpret_cast<void*>(page);
    r->lost.load()->store(true);
    return ::mmap(from, begin + size - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == from;
  }
  return false;
}

MappingGuard::MappingGuard(const std::byte* begin, std::size_t size, std::atomic<bool>& lost) : range_(nullptr) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  for (range_ = ranges.load(); range_ != nullptr && range_->begin.load() != 0;) range_ = range_->next;
  if (range_ == nullptr) {
    range_ = new Range;
    range_->next = ranges.load();
    ranges.store(range_);
  }
  range_->lost.store(&lost);
  range_->size.store(size);
  range_->begin.store(reinterpret_cast<std::uintptr_t>(begin));
}

MappingGuard::~MappingGuard() { range_->begin.store(0); }

}  // namespace byoc
