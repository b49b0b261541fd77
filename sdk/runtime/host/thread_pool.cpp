#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "byoc/threads.hpp"

namespace byoc {
namespace {

// How long a thread looks for work, or for the end of others' work, before it sleeps: about the time between two steps.
constexpr int kLooks = 2000;
// Parts of a step for each thread: one that is held up leaves its share to others.
constexpr std::uint32_t kPartsPerThread = 4;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Until `value` is no longer `old`.
template <class T>
void wait_for_change(const std::atomic<T>& value, T old) {
  for (int i = 0; i < kLooks; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

// A step's work is published by its ticket: the number of the job, how many parts it has, and the next one. Whoever
// takes a part does so by exchanging the ticket; as a job is not over before each of its parts is, what the ticket
// stands for is there as long as somebody has a part of it.
struct __attribute__((visibility("hidden"))) ThreadPool::Impl {
  struct Ticket {
    std::uint32_t job;
    std::uint16_t parts, next;
  };
  static constexpr std::uint32_t kMostParts = 0xffff;
  static_assert(kMost * kPartsPerThread <= kMostParts);

  explicit Impl(std::uint32_t count) {
    offered = {sizeof(byoc_threads_t), count == 1 ? 1 : count * kPartsPerThread, this, parallel_for};
    workers.reserve(count - 1);
    try {
      for (std::uint32_t i = 1; i < count; ++i) workers.emplace_back([this] { serve(); });
    } catch (...) {
      stop();
      throw;
    }
  }
  ~Impl() { stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void stop() {
    ending.store(true);
    ticket.store({ticket.load().job + 1, 0, 0});
    ticket.notify_all();
    for (std::thread& t : workers) t.join();
  }

  // Takes parts until there are none left.
  void take_parts(Ticket seen) {
    while (seen.next < seen.parts) {
      const Ticket taken{seen.job, seen.parts, static_cast<std::uint16_t>(seen.next + 1)};
      if (!ticket.compare_exchange_weak(seen, taken, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
      part(work, seen.next);
      if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) left.notify_all();
      seen = ticket.load(std::memory_order_acquire);
    }
  }

  void serve() {
    Ticket seen = ticket.load(std::memory_order_acquire);
    while (!ending.load()) {
      take_parts(seen);
      seen = ticket.load(std::memory_order_acquire);
      if (seen.next < seen.parts) continue;
      for (int i = 0; i < kLooks && ticket.load(std::memory_order_acquire).job == seen.job; ++i) relax();
      Ticket now = ticket.load(std::memory_order_acquire);
      if (now.job == seen.job) {
        ticket.wait(now, std::memory_order_acquire);
        now = ticket.load(std::memory_order_acquire);
      }
      seen = now;
    }
  }

  void run(std::uint32_t parts, byoc_part_t of, const void* with) {
    const std::unique_lock<std::mutex> own(running, std::try_to_lock);
    if (!own || parts > kMostParts || workers.empty()) {
      for (std::uint32_t i = 0; i < parts; ++i) of(with, i);
      return;
    }
    part = of;
    work = with;
    left.store(parts, std::memory_order_relaxed);
    const Ticket first{ticket.load(std::memory_order_relaxed).job + 1, static_cast<std::uint16_t>(parts), 0};
    ticket.store(first, std::memory_order_release);
    ticket.notify_all();
    take_parts(first);
    for (std::uint32_t now = left.load(std::memory_order_acquire); now != 0; now = left.load(std::memory_order_acquire))
      wait_for_change(left, now);
  }

  static void parallel_for(void* context, std::uint32_t parts, byoc_part_t part, const void* work) {
    static_cast<Impl*>(context)->run(parts, part, work);
  }

  byoc_threads_t offered{};
  std::mutex running;
  std::atomic<Ticket> ticket{Ticket{0, 0, 0}};
  static_assert(std::atomic<Ticket>::is_always_lock_free);
  byoc_part_t part = nullptr;
  const void* work = nullptr;
  std::atomic<std::uint32_t> left{0};  // parts that have not ended
  std::atomic<bool> ending{false};
  std::vector<std::thread> workers;
};

ThreadPool::ThreadPool(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

const byoc_threads_t& ThreadPool::threads() const { return impl_->offered; }

Result<ThreadPool> ThreadPool::create(std::uint32_t threads, Diagnostics& diags) {
  if (threads == 0 || threads > kMost)
    return diags.error({}, "threads", "their number is out of range", std::to_string(threads),
                       "1 to " + std::to_string(kMost));
  try {
    return ThreadPool(std::make_shared<Impl>(threads));
  } catch (const std::system_error& error) {
    return diags.error({}, "threads", "the system gives no " + std::to_string(threads) + ": " + error.what());
  }
}

}  // namespace byoc
