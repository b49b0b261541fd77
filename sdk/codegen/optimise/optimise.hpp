// Exact rewrites inside regions, after partition: fewer multiply-accumulates and bytes, the same results.
//
// A rewrite is made if the region's codegen accepts rewrites and, asked once more, claims the changed nodes as exactly
// as before. Values that cross a border of a region or of the model, and values that a granted group computes, keep
// their shape. All ids of values and nodes stay, so that placement, reports and comparisons with the original model
// work unchanged.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/codegen/partition/partition.hpp"

namespace byoc::optimise {

// "pads", ..., in the order in which they are made. docs/decisions/rewrites.md says what each does.
[[nodiscard]] std::span<const std::string_view> rewrite_names();

struct Options {
  std::vector<std::string> off = {};  // rewrites that are not made; "all" is all of them
};

// Maps values and nodes that were removed from a graph to their replacements.
struct Moved {
  std::map<ir::NodeId, ir::NodeId> absorbed;        // node -> the node that does its work besides
  std::map<ir::ValueId, ir::ValueId> fused;         // never made -> what it was on the way to
  std::map<ir::ValueId, ir::ValueId> aliases;       // -> the value with the same elements
  std::map<ir::ValueId, ChannelMap> channels = {};  // values some of whose channels are not computed
};

struct Optimised {
  std::shared_ptr<const ir::Graph> graph;   // constants are added behind the values of the original
  Partition partition;                      // of it; regions lack nodes that were absorbed
  std::map<const ir::Graph*, Moved> moved;  // of it and of each body in it
  std::vector<RewriteSummary> summary;      // rewrites that did something
};

// `partition` is of `graph`, by `codegens`. Errors: a name in options.off that is no rewrite; what codegens report.
[[nodiscard]] Result<Optimised> rewrite(const ir::Graph& graph, const Partition& partition,
                                        std::span<codegen::Codegen* const> codegens, const TargetSpec& target,
                                        const Options& options, Diagnostics& diags);

}  // namespace byoc::optimise
