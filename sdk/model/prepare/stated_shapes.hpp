// Shapes that follow from what the model states of results further on.
#pragma once

#include "sdk/model/ir/graph.hpp"

namespace byoc {

// An operand of an elementwise operator whose shape is unknown gets the shape of the result, if broadcasting allows no
// other. Its producer has to check the run's shape, as it does for a shape that the model states. Bodies are changed,
// too. Returns true if something changed.
bool take_stated_shapes(ir::Graph&);

}  // namespace byoc
