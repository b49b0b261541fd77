// QLinearConv and QLinearMatMul, whose operands carry their quantisation.
#pragma once

#include <optional>

#include "sdk/model/lift/rewriter.hpp"

namespace byoc::lift {

[[nodiscard]] bool is_qlinear(const ir::Node&);

// The lifted node, not yet in the graph, and the quantisation its activations must have.
struct QLinear {
  ir::ValueId x = ir::kNoValue, y = ir::kNoValue;
  Quantisation x_quantisation, y_quantisation;
  ir::Node lifted;
};

// nullopt for other operators, and where scales, zero points or weights are not constant or not lifted.
[[nodiscard]] std::optional<QLinear> read_qlinear(Rewriter&, const ir::Node&);

}  // namespace byoc::lift
