#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "byoc/threads.hpp"

namespace byoc {
namespace {

// The number of times that a thread looks for work, or for the end of others' work, before it sleeps: about the time
// between two steps.
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

// A step's parts are dealt out to the threads in runs, so that a thread has the same rows of one step as of the next,
// which it finds in its own cache. Whoever is done with its own takes those of others, one by one, by exchanging their
// ticket; as a job is not over before each of its parts is, what a ticket stands for is there as long as somebody has a
// part of it.
struct __attribute__((visibility("hidden"))) ThreadPool::Impl {
  struct Ticket {
    std::uint32_t job;
    std::uint16_t next, end;  // parts
  };
  struct alignas(64) Share {
    std::atomic<Ticket> ticket{Ticket{0, 0, 0}};
    static_assert(std::atomic<Ticket>::is_always_lock_free);
  };
  static constexpr std::uint32_t kMostParts = 0xffff;
  static_assert(kMost * kPartsPerThread <= kMostParts);

  explicit Impl(std::uint32_t count) : shares(count) {
    offered = {sizeof(byoc_threads_t), count == 1 ? 1 : count * kPartsPerThread, this, parallel_for};
    workers.reserve(count - 1);
    try {
      for (std::uint32_t i = 1; i < count; ++i) workers.emplace_back([this, i] { serve(i); });
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
    job.fetch_add(1);
    job.notify_all();
    for (std::thread& t : workers) t.join();
  }

  // Takes parts of one share until there are none left.
  void take_parts(Share& share) {
    Ticket seen = share.ticket.load(std::memory_order_acquire);
    while (seen.next < seen.end) {
      const Ticket taken{seen.job, static_cast<std::uint16_t>(seen.next + 1), seen.end};
      if (!share.ticket.compare_exchange_weak(seen, taken, std::memory_order_acq_rel, std::memory_order_acquire))
        continue;
      part(work, seen.next);
      if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) left.notify_all();
      seen = share.ticket.load(std::memory_order_acquire);
    }
  }
  // Takes parts of the thread's own share first.
  void take_parts(std::size_t thread) {
    for (std::size_t i = 0; i < shares.size(); ++i) take_parts(shares[(thread + i) % shares.size()]);
  }

  void serve(std::size_t thread) {
    std::uint32_t seen = 0;  // the first job is 1
    while (!ending.load()) {
      wait_for_change(job, seen);
      seen = job.load(std::memory_order_acquire);
      take_parts(thread);
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
    const std::uint32_t number = job.load(std::memory_order_relaxed) + 1;
    const auto start = [&](std::size_t i) { return static_cast<std::uint16_t>(parts * i / shares.size()); };
    for (std::size_t i = 0; i < shares.size(); ++i)
      shares[i].ticket.store({number, start(i), start(i + 1)}, std::memory_order_release);
    job.store(number, std::memory_order_release);
    job.notify_all();
    take_parts(std::size_t{0});
    for (std::uint32_t now = left.load(std::memory_order_acquire); now != 0; now = left.load(std::memory_order_acquire))
      wait_for_change(left, now);
  }

  static void parallel_for(void* context, std::uint32_t parts, byoc_part_t part, const void* work) {
    static_cast<Impl*>(context)->run(parts, part, work);
  }

  byoc_threads_t offered{};
  std::mutex running;
  std::vector<Share> shares;  // of the thread that calls, and of each worker
  std::atomic<std::uint32_t> job{0};
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
