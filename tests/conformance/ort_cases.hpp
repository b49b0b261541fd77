// Cases of ONNX Runtime's own unit tests: those of the official node cases' form, with a case.json beside the model
// that says whether the test expects an error, and how exact each output is.
#pragma once

#include <string>
#include <vector>

#include "byoc/vm.hpp"
#include "tests/support/onnx_cases.hpp"

namespace byoc::test {

struct OrtOutput {
  bool sorted = false;             // the order of its elements does not count
  std::optional<double> rel, abs;  // those of the test
};

struct OrtCase {
  OnnxCase files;
  std::string op;                  // "com.microsoft.QGemm"
  bool fails = false;              // the model is to be refused, or its run to be an error
  bool verified = true;            // outputs count
  std::vector<OrtOutput> outputs;  // those that the model has
  bool optionals = false;          // some values are optionals
};

// All cases below `root`, sorted by name.
[[nodiscard]] std::vector<OrtCase> ort_cases_in(const std::string& root);

// A value of a case. What an optional holds is a file of its own kind, and no file is nothing.
[[nodiscard]] Result<HostValue> read_case_value(const std::string& path, const ValueInfo& stated, bool holds_sequence,
                                                Diagnostics&);

// Names the outputs that differ from the files of the case; "" if none does.
[[nodiscard]] std::string compare_outputs(const OrtCase& one, const std::vector<HostValue>& found);

}  // namespace byoc::test
