// byoc.TreeEnsemble: each tree is walked from its root to a leaf, whose weights go to their targets.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

struct Trees {
  Dims nodes, roots, first, targets;  // nodes: feature, mode, child if true, child if false
};

// True if a node continues at its first child.
bool goes_on(std::int64_t mode, double x, double split) {
  if (std::isnan(x) && (mode & 8) != 0) return true;
  switch (mode & 7) {
    case 0: return x <= split;
    case 1: return x < split;
    case 2: return x >= split;
    case 3: return x > split;
    case 4: return x == split;
    default: return x != split;
  }
}

// A child below 0 is a leaf. Nodes are walked at most once each, so that a circle is an error.
Result<std::size_t> leaf_of(const Call& call, const Trees& trees, std::int64_t at, std::span<const double> x,
                            std::span<const double> splits) {
  for (std::size_t steps = 0; at >= 0; ++steps) {
    const auto n = static_cast<std::size_t>(at);
    if (n >= splits.size() || steps > splits.size()) return call.error("the trees have a bad node", std::to_string(at));
    const std::int64_t feature = trees.nodes[4 * n];
    if (feature < 0 || feature >= std::ssize(x))
      return call.error("a node reads a feature that the input does not have", std::to_string(feature));
    const bool first = goes_on(trees.nodes[4 * n + 1], x[static_cast<std::size_t>(feature)], splits[n]);
    at = trees.nodes[4 * n + (first ? 2 : 3)];
  }
  const auto leaf = static_cast<std::size_t>(-1 - at);
  if (leaf + 1 >= trees.first.size()) return call.error("the trees have a bad leaf", std::to_string(leaf));
  return leaf;
}

template <class T>
Result<void> walk_trees(const Call& call, const Trees& trees, std::span<T> y) {
  const std::vector<double> x = reals(call.in(0)), splits = reals(call.in(1)), weights = reals(call.in(6));
  const std::string aggregate = call.node.text("aggregate", "sum");
  const auto features = static_cast<std::size_t>(call.in(0).type.dims->back());
  const auto width = static_cast<std::size_t>(call.node.integer("n_targets", 1));
  const T start = aggregate == "min"   ? std::numeric_limits<T>::max()
                  : aggregate == "max" ? std::numeric_limits<T>::lowest()
                                       : T{0};
  std::fill(y.begin(), y.end(), start);
  for (std::size_t row = 0; row < y.size() / width; ++row) {
    const std::span<T> out = y.subspan(row * width, width);
    for (const std::int64_t root : trees.roots) {
      const auto leaf = leaf_of(call, trees, root, std::span(x).subspan(row * features, features), splits);
      if (!leaf) return failure;
      for (std::int64_t e = trees.first[*leaf]; e < trees.first[*leaf + 1]; ++e) {
        T& sum = out[static_cast<std::size_t>(trees.targets[static_cast<std::size_t>(e)])];
        const T weight = static_cast<T>(weights[static_cast<std::size_t>(e)]);
        sum = aggregate == "min" ? std::min(sum, weight) : aggregate == "max" ? std::max(sum, weight) : sum + weight;
      }
    }
    if (aggregate == "average")
      for (T& sum : out) sum /= static_cast<T>(trees.roots.size());
  }
  return {};
}

}  // namespace

Outcome tree_ensemble(const Call& call) {
  const auto nodes = call.integers(2), roots = call.integers(3), first = call.integers(4), targets = call.integers(5);
  if (!nodes || !roots || !first || !targets) return failure;
  const std::int64_t width = call.node.integer("n_targets", 1), entries = std::ssize(*targets);
  const bool ordered = !first->empty() && first->front() == 0 && first->back() == entries &&
                       std::is_sorted(first->begin(), first->end());
  const bool inside = std::all_of(targets->begin(), targets->end(), [&](auto t) { return t >= 0 && t < width; });
  if (!ordered || !inside || nodes->size() != 4 * static_cast<std::size_t>(call.in(1).type.elements()) || width < 1)
    return call.error("the tables of the trees do not fit each other", describe(call.in(2)));
  const DType dtype = call.in(0).type.dtype;
  Result<Buffer> y = call.allocate(dtype, {call.in(0).type.dims->front(), width});
  if (!y) return failure;
  const Trees trees{*nodes, *roots, *first, *targets};
  if (dtype != DType::f32 && dtype != DType::f64) return call.unsupported_dtype(0, "f32 or f64");
  const Result<void> done = dtype == DType::f32 ? walk_trees<float>(call, trees, y->as<float>())
                                                : walk_trees<double>(call, trees, y->as<double>());
  if (!done) return failure;
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
