// From an imported graph to one that codegens see: every type known, constants folded, quantisation on the tensors,
// nothing left that does nothing.
#pragma once

#include "byoc/options.hpp"
#include "sdk/ir/graph.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

// In this order, to a fixed point where they feed each other: bind dims, infer shapes, fold constants, lift
// quantisation, remove what does nothing. Afterwards every value's type is static, or an error names the value and
// the open symbol; auto_pad is gone; pads, strides, dilations, kernel_shape and group are explicit.
Result<void> prepare(ir::Graph&, const PrepareOptions&, Diagnostics&);

// Checks each node's operands and computes the types of its outputs; where the model stated a type that does not
// fit, that is an error with both.
Result<void> infer_shapes(ir::Graph&, Diagnostics&);
Result<void> fold_constants(ir::Graph&, Diagnostics&);
Result<void> lift_quantisation(ir::Graph&, Diagnostics&);
Result<void> remove_neutral(ir::Graph&, Diagnostics&);

}  // namespace byoc
