// Mapped files that become shorter, or cannot be read, while they are mapped: what is lost reads as zeros, and is told
// to whoever asks, in place of the SIGBUS that would end the process. That takes a handler of the whole process, which
// only a program of byoc's may set.
#pragma once

#include <atomic>
#include <cstddef>

namespace byoc {

// Programs that guard their mappings call this at their start: byoc, and workers. It sets a handler for SIGBUS, which
// passes faults outside guarded mappings to the previous handler.
void guard_mappings();
[[nodiscard]] bool guards_mappings();

// Guards a mapping of whole pages while it lives, in a program that guards them. `lost` becomes true with the first
// page that is missing.
class MappingGuard {
 public:
  MappingGuard(const std::byte* begin, std::size_t size, std::atomic<bool>& lost);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

 private:
  struct Range* range_;
};

// Other handlers of SIGBUS call this. True: the fault was in a guarded mapping, and will not happen again.
bool mend_mapping(const void* address);

}  // namespace byoc
