// Large buffers live in huge pages. The first touch of 100 MB in small ones is 25,000 page faults, and they take longer
// than writing those bytes to a file. Nothing else about allocation changes.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;  // bytes

void* allocate(std::size_t bytes) {
  if (bytes < kHugePage || bytes > SIZE_MAX - kHugePage) return std::malloc(bytes == 0 ? 1 : bytes);
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* const out = std::aligned_alloc(kHugePage, whole);
  if (out != nullptr) ::madvise(out, whole, MADV_HUGEPAGE);  // a wish: small pages serve as well
  return out;
}

}  // namespace

void* operator new(std::size_t bytes) {
  for (;;) {
    if (void* const out = allocate(bytes)) return out;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
