// The matrix of byoc batch: models x targets x variants of options, as rows.
#pragma once

#include <string>
#include <vector>

#include "byoc/diagnostics.hpp"

namespace byoc::cli {

// One export.
struct BatchRow {
  std::string model;  // absolute
  std::string name;   // prefix of its symbols, and of its file
  std::string target;
  std::string variant;               // its name; "" where the matrix has none
  std::string output;                // absolute
  std::vector<std::string> options;  // further arguments of byoc export
};

// docs/formats.md, "Batch". Paths in it are relative to its folder, `output` to `base`. Errors: no JSON, an unknown
// field, one that is missing or of another type, two rows with one output.
[[nodiscard]] Result<std::vector<BatchRow>> read_batch(const std::string& file, const std::string& base, Diagnostics&);

// "export", MODEL, "--target" ... of byoc, without what makes it quiet, and without --depfile.
[[nodiscard]] std::vector<std::string> arguments_of(const BatchRow& row);

}  // namespace byoc::cli
