// Outputs beside the values that they should have: those of the evaluator, of another program, or of a file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "byoc/run.hpp"

namespace byoc {

// The most that an element may be off.
struct Bound {
  double steps = 0;     // quantised integers; others may not be off
  double relative = 0;  // floats: of the largest magnitude among the expected elements
};

// Compares the elements of `output`. Equal numbers agree, and NaN with NaN. Both have the bytes of its type and dims.
[[nodiscard]] OutputDifference difference_of(const IoTensor& output, std::span<const std::byte> found,
                                             std::span<const std::byte> expected, const Bound& bound);

// "3 of 12 values differ, by 1 at most (0.00390625 as real values), cosine 0.999998".
[[nodiscard]] std::string difference_text(const OutputDifference& difference);

// That text behind "output y: ", or "output y of run 1: " where there are several runs.
[[nodiscard]] std::string to_string(const OutputDifference& difference, bool several_runs);

}  // namespace byoc
