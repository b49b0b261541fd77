// Types that go into the graphs of a node and come out of them, as far as they hold in every round.
#pragma once

#include <vector>

#include "sdk/model/import/onnx/value_types.hpp"

namespace byoc::onnx_import {

// The types of what If, Loop, Scan or SequenceMap passes to its bodies' own inputs; nothing of what is not known.
// `node` has its operands, but not yet what its bodies capture.
[[nodiscard]] std::vector<ir::TensorType> body_inputs(const ir::Node& node, ValueTypes& types);

// The types of the node's results, from those of its bodies' outputs.
[[nodiscard]] std::vector<ir::TensorType> control_results(const ir::Node& node,
                                                          const std::vector<std::vector<ir::TensorType>>& bodies,
                                                          ValueTypes& types);

}  // namespace byoc::onnx_import
