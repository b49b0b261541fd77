// What byoc.Expect is told of the numbers that a run finds.
#pragma once

#include <vector>

#include "sdk/ir/graph.hpp"

namespace byoc::evaluate {

// Whether numbers other than the expected ones say the same, by the attributes of byoc.Expect.
[[nodiscard]] bool is_another_form(const ir::Node&, const std::vector<std::int64_t>& found,
                                   const std::vector<std::int64_t>& expected);

}  // namespace byoc::evaluate
