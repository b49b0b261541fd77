// Chooses between offers by the costs that codegens estimate.
#pragma once

#include "sdk/codegen/partition/place.hpp"

namespace byoc {

// In PartitionOptions::prefer: before the role and the priority of those that are not named before it, whoever
// estimates the fewest cycles. Offers without an estimate are as they were.
inline constexpr const char* kCheapest = "cheapest";

// With kCheapest: withdraws each offer whose estimate is higher than the lowest other offer for the same nodes; for a
// group, higher than the lowest offers for all its nodes together. Offers of codegens that stand before kCheapest stay,
// and so do offers for nodes that are pinned to their codegen.
//
// Then borders count, if the target gives the speed of its first RAM (borders.hpp): neighbouring nodes of one codegen
// move together to an adjacent codegen whose total cost is lower. Each such step lowers the cost of the graph; the
// result need not be the minimum.
void keep_cheapest(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const TargetSpec& target,
                   const PartitionOptions& options, Offers& offers);

// A note for each codegen that was given nodes for which a reference codegen estimates less.
void tell_dearer(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const Offers& offers,
                 const Placement& placement, const PartitionOptions& options, Diagnostics& diags);

// Adds a note for each codegen that was named and takes nothing, with its most frequent reason. Codegens that have
// something `elsewhere` are not idle.
void tell_idle(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const Partition& partition,
               std::span<const std::size_t> elsewhere, const PartitionOptions& options, Diagnostics& diags);

}  // namespace byoc
