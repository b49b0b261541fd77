// A Concat of very many operands becomes several of some. Internal to this folder.
#pragma once

#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Operands of one Concat. The functions that compilers are given have a parameter for each operand of a step, and the
// time that they take grows with the square of those.
inline constexpr std::size_t kMostOperands = 128;

// Splits those whose operands have known shapes, in bodies too. Returns true if something changed.
bool narrow_concats(ir::Graph& graph);

}  // namespace byoc
