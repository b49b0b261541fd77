// Lowers a prepared graph to bytecode, and to the graph that is compiled.
//
// Nodes whose operands all have static types, and that a codegen compiles, form islands: nodes that can run one after
// the other without an evaluated node between them. All islands of the model and of the bodies inside are parts of one
// graph, side by side, so that they share kernels and constants; each is a function of the bytecode that an executor
// fills in when it knows the steps. Nodes with dims whose length only a run knows are in a graph of their own, side by
// side, too: each is an instruction, with a primitive that an executor fills in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sdk/model/ir/graph.hpp"
#include "sdk/program/bytecode/module.hpp"

namespace byoc::bytecode {

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
  ir::Graph open;                    // nodes with open dims that are compiled: node i is primitive i of the module
  std::vector<NodeOf> open_origins;  // of each of its nodes
  std::vector<std::size_t> open_codegens = {};  // who compiles each: position among those of the export
};

// True if all types of the node and its bodies are known: it can be compiled.
[[nodiscard]] bool is_static(const ir::Graph& graph, const ir::Node& node);

// True if only lengths of some dims of the node's operands are unknown: a step that is given them can compute it.
[[nodiscard]] bool is_open(const ir::Graph& graph, const ir::Node& node);

using Choice = std::function<bool(const NodeOf&)>;

// `compiles` is asked for nodes that are static, `opens` for those that are open. The graph must have passed the
// verifier.
[[nodiscard]] Lowered lower(const ir::Graph& graph, const Choice& compiles, const Choice& opens);

// A model that is one island, its states included: the graph itself is compiled, and `compiled` is empty.
[[nodiscard]] Lowered lower_whole(const ir::Graph& graph);

}  // namespace byoc::bytecode
