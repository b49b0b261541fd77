// The attributes of byoc.Expect for the numbers that a run finds.
#pragma once

#include <vector>

#include "sdk/model/ir/graph.hpp"

namespace byoc::evaluate {

// True if the found numbers mean the same as the expected ones, by the attributes of byoc.Expect.
[[nodiscard]] bool is_another_form(const ir::Node&, const std::vector<std::int64_t>& found,
                                   const std::vector<std::int64_t>& expected);

}  // namespace byoc::evaluate
