// For an executor that interprets: the parts of a model that are compiled, and the bytecode around them.
#pragma once

#include <optional>
#include <vector>

#include "sdk/codegen/partition/place.hpp"
#include "sdk/export/export.hpp"
#include "sdk/program/bytecode/lower.hpp"

namespace byoc {

struct Islands {
  bytecode::Lowered lowered;
  std::vector<InterpretedNode> interpreted;  // all other nodes, those of bodies among them
  std::vector<OpenNode> open;                // that are compiled with open dims
  std::optional<Partition> whole = {};       // of a model that is one island: that of the graph itself
  // For the compiled graph; nullopt where preparing it changed what codegens are asked about, so that they are asked
  // anew.
  std::optional<Offers> offers = {};
};

// Nodes that a codegen takes and whose types are known become islands (sdk/program/bytecode/lower.hpp); a model of
// nothing else is one. The compiled graph is prepared. Errors: those of prepare, codegens that do not answer, pins of
// nodes that are evaluated, and of open ones to who does not take them.
[[nodiscard]] Result<Islands> make_islands(const ir::Graph& graph, const Job& job, Diagnostics&);

}  // namespace byoc
