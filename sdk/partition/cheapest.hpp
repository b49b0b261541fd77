// What codegens estimate, where that is to count.
#pragma once

#include "sdk/partition/place.hpp"

namespace byoc {

// In PartitionOptions::prefer: before the role and the priority of those that are not named before it, whoever
// estimates the fewest cycles. Offers without an estimate are as they were.
inline constexpr const char* kCheapest = "cheapest";

// With kCheapest: takes back each offer whose estimate is higher than the least that others offer the same nodes for,
// of a group than theirs together. Those of codegens that stand before kCheapest stay, and so do offers for nodes that
// are pinned to who makes them.
//
// Then borders count, where the target says how fast its first RAM is (borders.hpp): neighbouring nodes that a codegen
// got go together to the codegen next to them that takes them for less, all told. What the graph costs gets less with
// each such step; it need not be the least there is.
void keep_cheapest(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const TargetSpec& target,
                   const PartitionOptions& options, Offers& offers);

// A note for each codegen that was given nodes for which a reference codegen estimates less.
void tell_dearer(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const Offers& offers,
                 const Placement& placement, const PartitionOptions& options, Diagnostics& diags);

// A note for each codegen that somebody named and that takes nothing, with what it says most often. Those that have
// something `elsewhere` do.
void tell_idle(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const Partition& partition,
               std::span<const std::size_t> elsewhere, const PartitionOptions& options, Diagnostics& diags);

}  // namespace byoc
