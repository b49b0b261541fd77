// The functions of a compiled library, as C and as assembly.
#pragma once

#include <vector>

#include "sdk/codegen/partition/report.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

// The functions of the steps in their order, then the kernels. Without those that are there in neither form.
[[nodiscard]] std::vector<FunctionCode> function_code(const Package& package);

}  // namespace byoc
