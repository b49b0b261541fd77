// Reads the results of the program around the model: result.bin (firmware/harness.h describes the layout).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

enum class CountUnit : std::uint64_t { nothing = 0, instructions = 1, nanoseconds = 2 };

struct RunFigures {
  CountUnit unit = CountUnit::nothing;
  std::uint64_t count = 0;
  std::uint64_t stack = 0;  // bytes
  std::vector<std::uint64_t> step_counts;
};

// Reads result.bin. Errors: what the program reported instead of figures (fault, stack overflow, failure code, a file
// it could not use), and a file that is cut or not one of ours. They name the model, and say why a step of it failed.
// `where` is what of it ran: ", in step ...".
[[nodiscard]] Result<RunFigures> read_run_result(std::span<const std::byte> file, const ModelInterface& model,
                                                 const TargetSpec&, Diagnostics&, const std::string& where = {});

}  // namespace byoc
