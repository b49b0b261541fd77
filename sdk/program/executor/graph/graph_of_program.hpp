// A Program as a graph: its calls and moves are nodes, what they compute are entries. Internal to this folder.
//
// The plan's offsets do not fit the format, which knows whole storages only: each buffer becomes entries of its own,
// and storage is given to them once more, by liveness. A buffer that several calls write piece by piece is one entry
// for each of them, in one storage; the later call takes the earlier entry as an input, after its own.
#pragma once

#include <string>
#include <vector>

#include "sdk/program/executor/executor.hpp"
#include "sdk/program/graphjson/graph_json.hpp"

namespace byoc::executor {

// A function of the packed ABI around a step.
struct PackedFunction {
  std::string name;
  const plan::Call* call = nullptr;
  // Bytes of each tensor: inputs, the instance if the step has one, what outputs held before, outputs, workspaces.
  std::vector<std::uint64_t> sizes;
  std::size_t previous = 0;  // how many of them are what outputs held before
};

struct ProgramGraph {
  GraphJson json;
  std::vector<PackedFunction> functions;
};

// Errors: what the format cannot say.
Result<ProgramGraph> graph_of(const PrintRequest& request, Diagnostics&);

// Gives every entry its storage: inputs, parameters and states one of their own, the rest what is free.
void assign_storage(GraphJson& graph, const std::vector<bool>& own);

}  // namespace byoc::executor
