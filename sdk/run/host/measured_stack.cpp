#include "sdk/run/host/measured_stack.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace byoc::runtime {
namespace {

constexpr std::size_t kStack = std::size_t{8} << 20, kGuard = 65536;
constexpr unsigned char kPaint = 0xa5;

// makecontext() hands over integers only; a run at a time is all that a process for it does.
thread_local const std::function<void()>* job = nullptr;
thread_local std::byte* top = nullptr;

void call_job() {
  std::byte here{};
  top = &here;
  (*job)();
}

}  // namespace

std::uint64_t measure_stack(const std::function<void()>& body) {
  void* memory = ::mmap(nullptr, kGuard + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  auto* const stack = static_cast<std::byte*>(memory) + kGuard;
  ucontext_t caller{}, callee{};
  std::uint64_t used = 0;
  if (::mprotect(memory, kGuard, PROT_NONE) == 0 && ::getcontext(&callee) == 0) {
    std::memset(stack, kPaint, kStack);
    callee.uc_stack.ss_sp = stack;
    callee.uc_stack.ss_size = kStack;
    callee.uc_link = &caller;
    job = &body;
    ::makecontext(&callee, call_job, 0);
    ::swapcontext(&caller, &callee);
    const std::byte* deepest = std::find_if(stack, stack + kStack, [](std::byte b) { return b != std::byte{kPaint}; });
    used = static_cast<std::uint64_t>(top > deepest ? top - deepest : 0);
  }
  ::munmap(memory, kGuard + kStack);
  return used;
}

}  // namespace byoc::runtime
