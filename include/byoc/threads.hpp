// Threads for models that were exported with --threads, for programs that have none of their own to lend. Part of the
// host API (byoc/byoc.hpp): Result and Diagnostics are as there.
#pragma once

#include <cstdint>
#include <memory>

#include "byoc/diagnostics.hpp"
#include "byoc/result.hpp"
#include "byoc/rt/threads.h"
#include "byoc/visibility.hpp"

namespace byoc {

// A handle; copies share the threads, which end with the last copy. If two runs overlap, one gets the threads, and the
// other runs without.
class BYOC_API ThreadPool {
 public:
  struct Impl;
  static constexpr std::uint32_t kMost = 1024;

  // `threads`: the one that calls is one of them. Errors: none, or more than kMost; the system has no more.
  [[nodiscard]] static Result<ThreadPool> create(std::uint32_t threads, Diagnostics& diags);

  // For <model>_set_devices(), LoadedModel::set_threads() and byoc_model_set_threads(). Valid as long as a handle is.
  [[nodiscard]] const byoc_threads_t& threads() const;

  explicit ThreadPool(std::shared_ptr<Impl> impl);

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace byoc
