#include "sdk/run/host/graph_memory.hpp"

#include <sys/mman.h>

namespace byoc::runtime {

// Pages that nobody touches cost nothing, as those of parameters that are shared.
Result<std::shared_ptr<GraphMemory>> GraphMemory::create(const GraphJson& graph, std::uint64_t align,
                                                         const std::string& file, Diagnostics& diags) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;
  std::shared_ptr<GraphMemory> out(new GraphMemory);
  for (const auto& [id, bytes] : storage_bytes(graph)) {
    out->offsets_[id] = out->bytes_;
    if (bytes > kMost || out->bytes_ > kMost)
      return diags.error(file, "storage " + std::to_string(id), "there is not so much memory",
                         std::to_string(bytes) + " bytes");
    out->bytes_ += (bytes + align - 1) / align * align;
  }
  if (out->bytes_ == 0) return out;
  void* data = ::mmap(nullptr, out->bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    return diags.error(file, {}, "there is not so much memory", std::to_string(out->bytes_) + " bytes");
  out->data_ = static_cast<std::byte*>(data);
  return out;
}

GraphMemory::~GraphMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace byoc::runtime
