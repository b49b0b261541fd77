// Every codegen gives a verdict on every node; nodes are placed; neighbours of one codegen form convex regions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/options.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/evaluate/agreement.hpp"

namespace byoc {

struct PlacedRegion {
  std::size_t codegen = 0;  // index into the codegens asked
  plugin::BoundRegion bound;
};

// The criterion that decided who gets a node.
enum class Decision : std::uint32_t { only, pin, order, priority, cost, id };
[[nodiscard]] std::string_view to_string(Decision);

// Replaces a codegen's index for an If, a Loop or a Scan, which no codegen is asked for.
inline constexpr std::size_t kExecutor = SIZE_MAX;

// One line of the report.
struct NodePlacement {
  std::size_t codegen = 0;
  Decision decision = Decision::only;      // against the best of the others that offered to take it
  std::size_t against = SIZE_MAX;          // that other; SIZE_MAX where there was none
  std::size_t region = 0;                  // index into Partition::regions; of none where the executor has it
  std::uint32_t order = 0;                 // of its region, or of itself, among those of its graph
  std::vector<codegen::Verdict> verdicts;  // of each codegen; one that was not heeded is no claim any more and says why
  evaluate::Closeness closeness = {};  // what its codegen states of it, alone or in the group that it was granted in
};

// An operator that was lifted to quantised tensors, where nobody takes it: it is left as the model has it.
struct LeftLiteral {
  std::string node;                   // "Conv 'layer1/conv' (#3)"
  std::vector<std::string> refusals;  // of each codegen, why it does not take the lifted form
};

// An operator that an executor evaluates while the model runs, and that no codegen was given.
struct InterpretedNode {
  std::string node;  // "NonZero 'where' (#3)"
  std::string why;
};

// An operator of which only a run knows some dims, and that a codegen compiles all the same.
struct OpenNode {
  std::string node;     // "MatMul 'query' (#7)"
  std::string codegen;  // its id
};

struct Partition {
  // The graph that was partitioned, if it is not the given one: some of its operators are in the model's literal form,
  // because nobody takes the lifted form. Null: the given graph.
  std::shared_ptr<const ir::Graph> graph = {};
  std::vector<LeftLiteral> literal = {};          // those operators, in the order in which they were found
  std::vector<InterpretedNode> interpreted = {};  // in the order of the model; of an executor that interprets
  std::vector<OpenNode> open = {};                // the same; of such an executor, too
  std::vector<PlacedRegion> regions;  // in an order in which they can run; those of bodies behind the graph's own
  std::vector<NodePlacement> nodes;   // one for each node of the graph
  std::map<const ir::Graph*, std::vector<NodePlacement>> bodies;  // of each graph inside a node, for looking up
};

// The graph that `partition` places, of what was given to make_partition().
[[nodiscard]] inline const ir::Graph& graph_of(const Partition& partition, const ir::Graph& given) {
  return partition.graph ? *partition.graph : given;
}

// The allowance of each node's results, as evaluate::Comparison takes it; for a control node, the sum over all nodes
// inside.
[[nodiscard]] std::vector<evaluate::Allowance> stated(const ir::Graph& graph, const Partition& partition);

// Asks all codegens and places every node: by pin, then by the user's order, priority, cost and id. Groups are granted
// as a whole or not at all. Reference codegens take what is left unless the user prefers them. Regions of one
// codegen are merged along the edges of the graph as long as the whole stays free of cycles, whatever the order of
// nodes. An operator that lifting put on quantised tensors (graph.literal), and that nobody takes there, is left as the
// model has it, and everybody is asked again (Partition::graph). Errors: each node that nobody claims, with every
// codegen's reason; a pin that fits no node, or to a codegen that refuses; an unknown id. `elsewhere`: codegens that
// have nodes of the model beside the graph.
Result<Partition> make_partition(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                                 const TargetSpec& target, const PartitionOptions& options, Diagnostics&,
                                 bool constants_move = false, std::span<const std::size_t> elsewhere = {});

}  // namespace byoc
