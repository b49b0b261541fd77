// Turns an imported graph into one that codegens see: every type known, constants folded, quantisation on the tensors,
// and no node that does nothing.
#pragma once

#include "byoc/options.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"
#include "sdk/model/lift/source_node.hpp"

namespace byoc {

// In this order, to a fixed point where they feed each other: bind dims, set inputs, infer shapes, fold constants, lift
// quantisation, remove what does nothing. Afterwards every value's type is static, or an error names the value and
// the open symbol; auto_pad is gone; pads, strides, dilations, kernel_shape and group are explicit.
Result<void> prepare(ir::Graph&, const PrepareOptions&, Diagnostics&);

// Takes nodes away that give their input back. Outputs keep their names, as copies where it takes one.
void remove_neutral(ir::Graph&);

// graph.literal once more from lifting on, with the operators of `literal` left as they are. graph.literal is set.
Result<ir::Graph> lift_again(const ir::Graph& graph, const SourceNodes& literal, Diagnostics&);

}  // namespace byoc
