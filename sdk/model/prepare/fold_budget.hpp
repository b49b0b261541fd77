// The limit on the cost of all folding, and the cost of one node. Internal to this folder.
#pragma once

#include <set>
#include <string>

#include "byoc/types.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Upper bound of the cost of computing a node, with all rounds of loops. The numbers are floating-point, so that
// nothing overflows.
struct FoldCost {
  double bytes = 0;       // of its results, and of all that is computed in its bodies
  double working = 0;     // bytes that the evaluator needs at one time
  double operations = 0;  // multiply-accumulates, and some for each element that is read or written
};
[[nodiscard]] FoldCost fold_cost(const ir::Graph&, const ir::Node&);

// Counts down over all rounds of folding.
class FoldBudget {
 public:
  explicit FoldBudget(const FoldLimit& limit) : limit_(limit) {}

  // True if the node may be folded; its cost is then subtracted. Otherwise that is reported once: as a warning, or as
  // an error if nothing else can compute the node.
  bool take(const ir::Graph&, const ir::Node&, Diagnostics&);
  // True if there was such an error.
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  void tell(const ir::Graph&, const ir::Node&, const FoldCost&, Diagnostics&);

  FoldLimit limit_;
  double bytes_ = 0, operations_ = 0;  // so far
  std::set<std::string> told_;
  bool refused_ = false;
};

}  // namespace byoc
