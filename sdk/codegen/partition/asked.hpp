// The question that an export asks every codegen, and the answers to it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sdk/codegen/partition/place.hpp"

namespace byoc {

using AllOffers = std::map<const ir::Graph*, Offers>;  // for a graph and for every body in it

// The answers of all codegens.
struct Asked {
  // The graph that was asked about, if it is not the given one (Partition::graph), and the operators that differ.
  std::shared_ptr<const ir::Graph> graph = {};
  std::vector<LeftLiteral> literal = {};
  AllOffers offers = {};
};

// Asks every codegen about every node. An operator that lifting put on quantised tensors, and that nobody offers to
// take there, is left as the model has it, and everybody is asked again. Errors: a codegen that does not answer for
// every node, a value that is no tensor of a known type.
[[nodiscard]] Result<Asked> ask_codegens(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                                         const TargetSpec& target, const PartitionOptions& options, Diagnostics&);

// The offers for a graph of these nodes alone, in this order; groups with other nodes in them are gone.
[[nodiscard]] Offers offers_for(const Offers& all, std::span<const ir::NodeId> nodes);

// make_partition() (partition.hpp) of a graph that codegens were asked about.
[[nodiscard]] Result<Partition> place_asked(const ir::Graph& graph, Asked asked,
                                            std::span<codegen::Codegen* const> codegens, const TargetSpec& target,
                                            const PartitionOptions& options, Diagnostics&, bool constants_move = false,
                                            std::span<const std::size_t> elsewhere = {});

}  // namespace byoc
