// From a prepared graph to bytecode, and to the graph of what is compiled.
//
// Nodes whose operands all have static types, and that somebody compiles, form islands: those that can run one after
// the other without a node between them that is evaluated. All islands of the model and of the bodies inside are parts
// of one graph, side by side, so that they share kernels and constants; each is a function of the bytecode that an
// executor fills in when it knows the steps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sdk/ir/graph.hpp"
#include "sdk/vm/module.hpp"

namespace byoc::vm {

struct Island {
  std::uint32_t function = 0;      // of the module; without code
  std::uint32_t first_input = 0;   // of the compiled graph's inputs: its parameters, in order
  std::uint32_t first_output = 0;  // of its outputs: its results, in order
};

// A node of the model or of a body inside.
struct NodeOf {
  const ir::Graph* graph = nullptr;
  ir::NodeId node = ir::kNoNode;
  auto operator<=>(const NodeOf&) const = default;
};

struct Lowered {
  Module module;
  ir::Graph compiled;
  std::vector<NodeOf> origins;  // of each node of `compiled`
  std::vector<Island> islands;
};

// Whether all types that the node and its bodies deal with are known: it can be compiled.
[[nodiscard]] bool is_static(const ir::Graph& graph, const ir::Node& node);

// `compiles` is asked for nodes that are static. The graph must have passed the verifier.
[[nodiscard]] Lowered lower(const ir::Graph& graph, const std::function<bool(const NodeOf&)>& compiles);

// A model that is one island, its states included: `compiled` is the graph itself.
[[nodiscard]] Lowered lower_whole(const ir::Graph& graph);

}  // namespace byoc::vm
