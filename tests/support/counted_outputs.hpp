// Outputs with room for the most there can be, as long as they are.
#pragma once

#include <string>
#include <vector>

#include "sdk/evaluate/evaluate.hpp"
#include "sdk/ir/graph.hpp"

namespace byoc::test {

// Of all outputs of a run of the graph the model's own, without what is beyond their counts. "" or what is wrong.
[[nodiscard]] std::string without_room(const ir::Graph& graph, std::vector<evaluate::Tensor>& outputs);

}  // namespace byoc::test
