// The rules a graph keeps between passes.
#pragma once

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::ir {

// Reports every broken rule: ids in range, one producer per value, no input or constant produced by a node,
// topological order, every read value defined, dims and byte sizes without overflow, constants of their type's size,
// quantisation with positive finite scales, matching counts and an axis in range.
Result<void> verify(const Graph&, Diagnostics&);

}  // namespace byoc::ir
