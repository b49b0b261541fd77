// A batch as a file for the program that runs it.
#pragma once

#include <span>
#include <string>

#include "byoc/diagnostics.hpp"
#include "sdk/app/cli/batch_matrix.hpp"

namespace byoc::cli {

// `form`: "ninja", "make" or "slurm" (a script with a job array). `byoc` is the program that they run. Rows are built
// anew when what they were made from changes, where the form knows of that. Error: a name that the form cannot be told
// (sdk/base/support/quoting.hpp).
[[nodiscard]] Result<std::string> emit_batch(const std::string& form, std::span<const BatchRow> rows,
                                             const std::string& byoc, Diagnostics&);

}  // namespace byoc::cli
