// The plan of one pool, whatever lies in others. Internal to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "sdk/program/plan/memory.hpp"

namespace byoc::plan {

struct Placement {
  std::uint64_t peak = UINT64_MAX;
  std::vector<std::uint64_t> offsets;  // of the problem's buffers
};

// In problems that follow all buffers are in one pool.

// `known`, or a better one if that is found.
[[nodiscard]] Placement place(const Problem&, Placement known = {});
// Live bytes of each step.
[[nodiscard]] std::vector<std::uint64_t> live_bytes(const Problem&);
// True if an overlay saves something, and alignment allows it.
[[nodiscard]] bool is_usable(const Problem&, const Overlay&);

// Takes such problems out of one of several pools, in time that grows with the part.
class Parts {
 public:
  explicit Parts(const Problem&);  // outlives it; its pools may change
  [[nodiscard]] Problem of(const std::vector<std::uint32_t>& buffers);

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  const Problem& problem_;
  std::vector<std::vector<std::uint32_t>> overlays_;  // of each later buffer
  std::vector<std::uint32_t> index_;                  // in the part that is made
};

// The buffers of each pool; those that are in none yet are left out.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> by_pool(const Problem&);

[[nodiscard]] std::uint64_t largest(const std::vector<std::uint64_t>&);

}  // namespace byoc::plan
