// The results of another program, in files, beside the outputs of a run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/run/values/output_difference.hpp"

namespace byoc {

// An output of a run.
struct RunOutput {
  IoTensor tensor;  // with the dims that it has there
  std::span<const std::byte> bytes;
  std::size_t run = 0;
};

// Compares outputs, all of one run after those of another, with files; each of `given` is one of
//   FILE       the next output that has no file yet
//   NAME=FILE  the next one of that name
//   FOLDER     output_0.npy, output_1.npy ... (or .pb, .raw, .bin): by position
// Files are as read_input() takes them. Outputs without a file are left out. Errors: those of read_input(); a name that
// no output has, more files than outputs, a folder without any.
[[nodiscard]] Result<std::vector<OutputDifference>> compare_with_files(std::span<const std::string> given,
                                                                       std::span<const RunOutput> outputs,
                                                                       const Bound& bound, Diagnostics&);

}  // namespace byoc
