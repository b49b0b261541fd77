// Moves connected nodes of one codegen to another if that is cheaper with borders.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "sdk/codegen/partition/place.hpp"

namespace byoc {

inline constexpr double kUnknown = std::numeric_limits<double>::infinity();

// Cycles of an offer; kUnknown where it is none or says nothing.
[[nodiscard]] inline double cost_of(const codegen::Verdict& v) { return v.claimed && v.cost > 0 ? v.cost : kUnknown; }

[[nodiscard]] inline std::string whole_cycles(double cost) { return std::to_string(std::llround(cost)); }

struct IslandRequest {
  const ir::Graph& graph;
  std::span<codegen::Codegen* const> codegens;
  const TargetSpec& target;
  const PartitionOptions& options;
  std::function<bool(std::size_t codegen, ir::NodeId)> is_fixed;  // what the user decided stays
};

// Changes `offers`, which place() would take as they are, until no island (nodes of one codegen that hang together by
// values) is cheaper at a codegen beside it: its nodes are offered by that one as in `all`, what was offered at first,
// and no longer by who had them. An island with a node whose cost is not known stays.
void join_islands(const IslandRequest& request, const Offers& all, Offers& offers);

}  // namespace byoc
