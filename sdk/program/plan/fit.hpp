// Checks whether a program fits into the available RAM.
#pragma once

#include <cstdint>

#include "sdk/program/plan/program.hpp"

namespace byoc::plan {

// RAM of a model beside its stack, in bytes.
struct ModelRam {
  std::uint64_t workspaces = 0, instance = 0, inputs = 0, outputs = 0;
  [[nodiscard]] std::uint64_t total() const { return workspaces + instance + inputs + outputs; }
};
[[nodiscard]] ModelRam ram_of(const Program&);

// Bytes of workspace that the largest RAM of the target can hold; 0: not known.
[[nodiscard]] std::uint64_t workspace_limit(const TargetSpec& target);

// The largest excess of a workspace over its memory, in bytes; 0: all fit. The first pool's workspace may lie in any
// RAM that has room for it besides its own plan.
[[nodiscard]] std::uint64_t excess(const Program&);

// Errors: each workspace that does not fit, with what is in it.
Result<void> check_fit(const Program&, const TargetSpec& target, Diagnostics&);

}  // namespace byoc::plan
