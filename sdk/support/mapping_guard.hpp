// Mapped files that become shorter, or cannot be read, while they are mapped: what is lost reads as zeros, and is told
// to whoever asks, in place of the SIGBUS that would end the process.
#pragma once

#include <atomic>
#include <cstddef>

namespace byoc {

// Of a mapping of whole pages, as long as this lives. The first one sets a handler for SIGBUS, which leaves to the one
// before it what is no guarded mapping. `lost` becomes true with the first page that is not there.
class MappingGuard {
 public:
  MappingGuard(const std::byte* begin, std::size_t size, std::atomic<bool>& lost);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

 private:
  struct Range* range_;
};

// For other handlers of SIGBUS: whether the fault is one in a guarded mapping. Then it will not happen again.
bool mend_mapping(const void* address);

}  // namespace byoc
