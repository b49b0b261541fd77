// The ways to run a case of ONNX Runtime's tests.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/conformance/ort_cases.hpp"

namespace byoc::test {

struct OrtRun {
  std::optional<std::vector<HostValue>> outputs;
  std::string refusal;  // where there are none
};

using OrtExecutor = std::function<OrtRun(const OrtCase&)>;

// "interpreted", "vm" or "c". `cache`: a folder of compiled objects, or "".
[[nodiscard]] OrtExecutor ort_executor(const std::string& name, const std::string& cache);

}  // namespace byoc::test
