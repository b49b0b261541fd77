#include "tests/e2e/layers/cases.hpp"

namespace byoc::test {

std::vector<Family> onnx_families() { return {}; }

}  // namespace byoc::test
