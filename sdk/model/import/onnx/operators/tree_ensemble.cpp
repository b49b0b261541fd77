// ai.onnx.ml.TreeEnsemble (5). Nodes that ask whether an element is in a set become one node for each member.
#include <array>
#include <cmath>

#include "sdk/model/import/onnx/operators/scores.hpp"
#include "sdk/model/import/onnx/operators/tree_tables.hpp"

namespace byoc::onnx_import {
namespace {

constexpr const char* kLengths = "the tables of the nodes have different lengths";

// The sets, in the order of the nodes that ask for them, each ended by a NaN.
Result<void> read_members(Composition& c, TreeSource& trees, const std::vector<double>& values) {
  std::size_t at = 0;
  trees.members.resize(trees.nodes());
  for (std::size_t n = 0; n < trees.nodes(); ++n) {
    if (trees.modes[n] < 0 || trees.modes[n] > kTreeMember)
      return c.refuse("a node has an unknown mode", std::to_string(trees.modes[n]), "0 to 6");
    if (trees.modes[n] != kTreeMember) continue;
    for (; at < values.size() && !std::isnan(values[at]); ++at) trees.members[n].push_back(values[at]);
    if (at++ >= values.size()) return c.refuse("membership_values end before the nodes that ask for them");
  }
  return {};
}

Result<TreeSource> read_trees(Composition& c, const ir::Node& node) {
  auto splits = tensor_numbers(c, node, "nodes_splits"), modes = tensor_numbers(c, node, "nodes_modes");
  auto weights = tensor_numbers(c, node, "leaf_weights"), members = tensor_numbers(c, node, "membership_values");
  if (!splits || !modes || !weights || !members) return failure;
  TreeSource trees;
  trees.splits = std::move(*splits);
  trees.weights = std::move(*weights);
  for (const double mode : *modes) trees.modes.push_back(static_cast<std::int64_t>(mode));
  trees.targets = node.integers("leaf_targetids", {});
  trees.features = node.integers("nodes_featureids", {});
  trees.children[0] = node.integers("nodes_truenodeids", {});
  trees.children[1] = node.integers("nodes_falsenodeids", {});
  trees.is_leaf[0] = node.integers("nodes_trueleafs", {});
  trees.is_leaf[1] = node.integers("nodes_falseleafs", {});
  trees.nan_is_true = node.integers("nodes_missing_value_tracks_true", std::vector<std::int64_t>(trees.nodes(), 0));
  for (const auto* list : {&trees.modes, &trees.features, &trees.children[0], &trees.children[1], &trees.is_leaf[0],
                           &trees.is_leaf[1], &trees.nan_is_true})
    if (list->size() != trees.nodes()) return c.refuse(kLengths);
  if (trees.weights.size() != trees.targets.size()) return c.refuse(kLengths);
  for (std::size_t leaf = 0; leaf <= trees.targets.size(); ++leaf)
    trees.first.push_back(static_cast<std::int64_t>(leaf));
  for (const std::int64_t root : node.integers("tree_roots", {})) trees.roots.emplace_back(root, false);
  trees.width = node.integer("n_targets", 1);
  trees.dtype = node.find<ir::Tensor>("leaf_weights")->type.dtype;
  if (!read_members(c, trees, *members)) return failure;
  return trees;
}

}  // namespace

Result<void> normalise_tree_ensemble(Normaliser& e, ir::Node node) {
  static constexpr std::array<const char*, 4> kAggregates = {"average", "sum", "min", "max"};
  static constexpr std::array<const char*, 5> kTransforms = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  Composition c(e, node);
  const std::int64_t aggregate = node.integer("aggregate_function", 1), transform = node.integer("post_transform", 0);
  if (aggregate < 0 || aggregate > 3)
    return c.refuse("aggregate_function is unknown", std::to_string(aggregate), "0 to 3");
  if (transform < 0 || transform > 4) return c.refuse("post_transform is unknown", std::to_string(transform), "0 to 4");
  auto trees = read_trees(c, node);
  if (!trees) return failure;
  trees->aggregate = kAggregates[static_cast<std::size_t>(aggregate)];
  const auto sums = emit_trees(e, c, node, *trees, c.in(0));
  if (!sums) return failure;
  const auto y = post_transformed(c, kTransforms[static_cast<std::size_t>(transform)], *sums);
  if (!y) return failure;
  c.give(0, *y);
  return {};
}

}  // namespace byoc::onnx_import
