#include "sdk/run/host/devices.hpp"

#include <algorithm>

namespace byoc::runtime {

Result<std::vector<const void*>> handles_of(std::span<const std::string> devices, const byoc_threads_t* threads,
                                            const std::string& file, Diagnostics& diags) {
  const auto own = std::find(devices.begin(), devices.end(), kThreads);
  if (own == devices.end())
    return diags.error(file, kThreads, "the model has no step that threads could share", {},
                       "one that was exported with --threads, with layers that are large enough");
  std::vector<const void*> out(devices.size(), nullptr);
  out[static_cast<std::size_t>(own - devices.begin())] = threads;
  return out;
}

}  // namespace byoc::runtime
