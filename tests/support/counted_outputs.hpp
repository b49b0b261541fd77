// Inputs and outputs with room for the most there can be, as the model has them.
#pragma once

#include <string>
#include <vector>

#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::test {

// Of all outputs of a run of the graph the model's own, without what is beyond their counts; sequences, optionals and
// strings as such. "" or what is wrong.
[[nodiscard]] std::string without_room(const ir::Graph& graph, std::vector<evaluate::Tensor>& outputs);
// The model's own inputs as those of the graph. "" or what is wrong.
[[nodiscard]] std::string with_room(const ir::Graph& graph, std::vector<evaluate::Tensor>& inputs);

}  // namespace byoc::test
