// Decides which codegen gets which node.
#pragma once

#include <optional>

#include "sdk/codegen/partition/partition.hpp"
#include "sdk/codegen/partition/quotient.hpp"

namespace byoc {

// The offers of all codegens for a graph.
struct Offers {
  std::vector<std::vector<codegen::Verdict>> verdicts;  // [codegen][node]
  std::vector<std::vector<codegen::Group>> groups;      // [codegen]
};

struct Placement {
  std::vector<std::size_t> owner;                                     // [node]; kExecutor: control flow
  std::vector<Decision> decision;                                     // [node]
  std::vector<std::size_t> against;                                   // [node]
  std::vector<std::vector<codegen::Verdict>> verdicts;                // [codegen][node], as they stand at the end
  std::vector<evaluate::Closeness> closeness;                         // [node], as its owner states it
  std::vector<std::pair<std::size_t, codegen::GrantedGroup>> groups;  // {codegen, group}
};

// True if the pin names this node.
[[nodiscard]] bool names_node(const Pin& pin, const ir::Node& node);
// True if the pin names a node of the graph.
[[nodiscard]] bool fits(const Pin& pin, const ir::Graph& graph);

// Asks every codegen. Errors: one that does not answer for every node.
[[nodiscard]] Result<Offers> ask(const ir::Graph& graph, const codegen::Region& whole,
                                 std::span<codegen::Codegen* const> codegens, const TargetSpec& target,
                                 const PartitionOptions& options, Diagnostics& diags);

// Places every node and joins granted groups in `quotient`. Errors: pins and ids that fit nothing, nodes that nobody
// takes.
[[nodiscard]] Result<Placement> place(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                                      const Offers& offers, const PartitionOptions& options, Quotient& quotient,
                                      Diagnostics& diags);

// The codegen of each node taken by itself, by the criteria for single nodes in place(); nullopt: no codegen. Errors:
// ids that fit nothing, a pin to a codegen that does not take its node.
[[nodiscard]] Result<std::vector<std::optional<std::size_t>>> choose(const ir::Graph& graph,
                                                                     std::span<codegen::Codegen* const> codegens,
                                                                     const Offers& offers,
                                                                     const PartitionOptions& options,
                                                                     Diagnostics& diags);

}  // namespace byoc
