// Outputs as long as they are in one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/run.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

struct ActualOutput {
  std::vector<std::int64_t> dims;
  std::vector<std::byte> bytes;  // dense and row-major
};

// The outputs of the model out of all buffers of a run, counts among these: what is beyond a count is left out. Errors:
// a count is none of its dim; dims that are counted do not fit their buffer.
Result<std::vector<ActualOutput>> actual_outputs(const ModelInterface&, std::vector<std::vector<std::byte>> buffers,
                                                 Diagnostics&);

// Computes actual_outputs() of all runs, in sequence, as outputs of `result`.
Result<void> keep_actual(const ModelInterface&, const std::vector<std::vector<std::byte>>& buffers, RunResult& result,
                         Diagnostics&);

}  // namespace byoc
