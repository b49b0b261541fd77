// Tree ensembles of ai.onnx.ml over random trees: sums of what each tree's leaf gives, walked by the test itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/e2e/layers/onnx/families.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Integers = std::vector<std::int64_t>;

struct Node {
  std::int64_t feature = 0, mode = 0, nan = 0;
  float split = 0;
  std::vector<float> members;  // of mode 6
  std::int64_t child[2] = {0, 0};
  bool is_leaf[2] = {true, true};
};

struct Leaf {
  std::int64_t target;
  float weight;
};

struct Ensemble {
  std::int64_t features, targets, aggregate;
  std::vector<Node> nodes;
  std::vector<Leaf> leaves;
  std::vector<std::pair<std::int64_t, bool>> roots;
};

constexpr std::int64_t kMember = 6;
constexpr const char* kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"};
constexpr const char* kAggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};

std::int64_t grow(Ensemble& e, Random& random, std::int64_t mode, bool sets, std::int32_t depth, bool& leaf) {
  leaf = depth == 0 || random.chance(20);
  if (leaf) {
    e.leaves.push_back({random.between(0, e.targets - 1), static_cast<float>(random.between(-64, 64)) / 16});
    return std::ssize(e.leaves) - 1;
  }
  Node n;
  n.feature = random.between(0, e.features - 1);
  n.mode = mode >= 0 ? mode : random.between(0, sets ? kMember : kMember - 1);
  n.nan = random.chance(30) ? 1 : 0;
  n.split = static_cast<float>(random.between(-16, 16)) / 4;
  if (n.mode == kMember)
    for (std::int64_t i = random.between(1, 4); i > 0; --i)
      n.members.push_back(static_cast<float>(random.between(-8, 8)) / 4);
  for (const int way : {0, 1}) n.child[way] = grow(e, random, mode, sets, depth - 1, n.is_leaf[way]);
  e.nodes.push_back(n);
  return std::ssize(e.nodes) - 1;
}

bool goes_first(const Node& n, float x) {
  if (std::isnan(x) && n.nan != 0) return true;
  switch (n.mode) {
    case 0: return x <= n.split;
    case 1: return x < n.split;
    case 2: return x >= n.split;
    case 3: return x > n.split;
    case 4: return x == n.split;
    case 5: return x != n.split;
    default: return std::find(n.members.begin(), n.members.end(), x) != n.members.end();
  }
}

std::vector<float> outputs_of(const Ensemble& e, const float* x) {
  const float start = e.aggregate == 2   ? std::numeric_limits<float>::max()
                      : e.aggregate == 3 ? std::numeric_limits<float>::lowest()
                                         : 0;
  std::vector<float> y(static_cast<std::size_t>(e.targets), start);
  for (auto [at, leaf] : e.roots) {
    while (!leaf) {
      const Node& n = e.nodes[static_cast<std::size_t>(at)];
      const int way = goes_first(n, x[n.feature]) ? 0 : 1;
      at = n.child[way];
      leaf = n.is_leaf[way];
    }
    const Leaf& l = e.leaves[static_cast<std::size_t>(at)];
    float& sum = y[static_cast<std::size_t>(l.target)];
    sum = e.aggregate == 2 ? std::min(sum, l.weight) : e.aggregate == 3 ? std::max(sum, l.weight) : sum + l.weight;
  }
  if (e.aggregate == 0)
    for (float& v : y) v /= static_cast<float>(e.roots.size());
  return y;
}

// Of one row of sums.
void transform(const std::string& name, float* y, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i)
    if (name != "SOFTMAX_ZERO" || y[i] != 0) sum += std::exp(static_cast<double>(y[i]));
  for (std::int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<double>(y[i]);
    if (name == "LOGISTIC") y[i] = static_cast<float>(1 / (1 + std::exp(-v)));
    if (name == "SOFTMAX") y[i] = static_cast<float>(std::exp(v) / sum);
    if (name == "SOFTMAX_ZERO") y[i] = static_cast<float>(v == 0 ? 0 / sum : std::exp(v) / sum);
  }
}

template <class T, class F>
std::vector<T> of_each(const std::vector<Node>& nodes, F f) {
  std::vector<T> out;
  for (const Node& n : nodes) out.push_back(static_cast<T>(f(n)));
  return out;
}

void set_nodes(onnx::NodeProto& node, const Ensemble& e) {
  std::string modes;
  std::vector<float> members, weights, splits;
  Integers targets, roots;
  for (const Node& n : e.nodes) {
    modes += static_cast<char>(n.mode);
    splits.push_back(n.split);
    if (n.mode != kMember) continue;
    members.insert(members.end(), n.members.begin(), n.members.end());
    members.push_back(std::numeric_limits<float>::quiet_NaN());
  }
  for (const Leaf& l : e.leaves) {
    targets.push_back(l.target);
    weights.push_back(l.weight);
  }
  for (const auto& root : e.roots) roots.push_back(root.first);
  set(node, "n_targets", e.targets);
  set(node, "aggregate_function", e.aggregate);
  set(node, "nodes_featureids", of_each<std::int64_t>(e.nodes, [](const Node& n) { return n.feature; }));
  set(node, "nodes_truenodeids", of_each<std::int64_t>(e.nodes, [](const Node& n) { return n.child[0]; }));
  set(node, "nodes_falsenodeids", of_each<std::int64_t>(e.nodes, [](const Node& n) { return n.child[1]; }));
  set(node, "nodes_trueleafs", of_each<std::int64_t>(e.nodes, [](const Node& n) { return n.is_leaf[0]; }));
  set(node, "nodes_falseleafs", of_each<std::int64_t>(e.nodes, [](const Node& n) { return n.is_leaf[1]; }));
  set(node, "nodes_missing_value_tracks_true", of_each<std::int64_t>(e.nodes, [](const Node& n) { return n.nan; }));
  set(node, "leaf_targetids", targets);
  set(node, "tree_roots", roots);
  set_bytes(node, "nodes_modes", modes);
  set_tensor(node, "nodes_splits", splits);
  set_tensor(node, "leaf_weights", weights);
  if (!members.empty()) set_tensor(node, "membership_values", members);
}

// One tree, whose leaves are nodes behind the others.
void set_model(onnx::NodeProto& node, const Ensemble& e, const std::string& prefix) {
  const std::int64_t inner = std::ssize(e.nodes), all = inner + std::ssize(e.leaves);
  Integers trees(static_cast<std::size_t>(all), 0), ids, features, yes, no, nan, leaves, targets;
  std::vector<std::string> modes;
  std::vector<float> splits, weights;
  for (std::int64_t i = 0; i < all; ++i) {
    const Node n = i < inner ? e.nodes[static_cast<std::size_t>(i)] : Node();
    ids.push_back(i);
    features.push_back(n.feature);
    modes.emplace_back(i < inner ? kModes[n.mode] : "LEAF");
    splits.push_back(n.split);
    nan.push_back(n.nan);
    yes.push_back(i < inner ? n.child[0] + (n.is_leaf[0] ? inner : 0) : 0);
    no.push_back(i < inner ? n.child[1] + (n.is_leaf[1] ? inner : 0) : 0);
  }
  for (std::size_t l = 0; l < e.leaves.size(); ++l) {
    leaves.push_back(inner + static_cast<std::int64_t>(l));
    targets.push_back(e.leaves[l].target);
    weights.push_back(e.leaves[l].weight);
  }
  if (prefix == "target_") set(node, "aggregate_function", kAggregates[e.aggregate]);
  set(node, "nodes_treeids", trees);
  set(node, "nodes_nodeids", ids);
  set(node, "nodes_featureids", features);
  set(node, "nodes_modes", modes);
  set(node, "nodes_truenodeids", yes);
  set(node, "nodes_falsenodeids", no);
  set(node, "nodes_missing_value_tracks_true", nan);
  set_tensor(node, "nodes_values_as_tensor", splits);
  set(node, prefix + "treeids", Integers(leaves.size(), 0));
  set(node, prefix + "nodeids", leaves);
  set(node, prefix + "ids", targets);
  set_tensor(node, prefix + "weights_as_tensor", weights);
}

}  // namespace

void make_onnx_trees(OnnxModel& model, Random& random, std::size_t index) {
  const std::size_t which = index % 3;  // TreeEnsemble, TreeEnsembleRegressor, TreeEnsembleClassifier
  Ensemble e{random.between(1, random.chance(10) ? 300 : 9), random.between(which == 2 ? 2 : 1, 5), 1, {}, {}, {}};
  if (which != 2) e.aggregate = random.between(0, 3);
  const std::int64_t mode = random.chance(50) ? random.between(0, 5) : -1;
  const std::int64_t trees = which == 0 ? random.between(1, random.chance(20) ? 40 : 6) : 1;
  for (std::int64_t t = 0; t < trees; ++t) {
    bool leaf = true;
    const std::int64_t root = grow(e, random, mode, which == 0, random.size(3, 6), leaf);
    if (!leaf) e.roots.emplace_back(root, false);
  }
  if (e.roots.empty()) {
    e.nodes.push_back({0, 0, 0, 1, {}, {0, 0}, {true, true}});
    e.roots.emplace_back(0, false);
  }
  // Of weights of one class alone readers make different things.
  const bool one =
      std::all_of(e.leaves.begin(), e.leaves.end(), [&](const Leaf& l) { return l.target == e.leaves[0].target; });
  if (which == 2 && one) {
    e.leaves.push_back({(e.leaves[0].target + 1) % e.targets, 1});
    e.nodes.push_back({0, 0, 0, 1, {}, {std::ssize(e.leaves) - 1, e.roots[0].first}, {true, false}});
    e.roots[0].first = std::ssize(e.nodes) - 1;
  }
  const std::int32_t rows = random.size(1, 4);
  TensorData x = random_data(random, FLOAT32, {rows, static_cast<std::int32_t>(e.features)}, {}, -5, 5);
  for (float& v : x.floats) {
    v = std::round(v * 4) / 4;
    if (random.chance(5)) v = std::numeric_limits<float>::quiet_NaN();
  }
  TensorData y{FLOAT32, {rows, static_cast<std::int32_t>(e.targets)}, {}, {}, {}};
  const std::string post =
      which != 0 && e.aggregate == 1 ? random.pick({"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"}) : "NONE";
  TensorData label{INT64, {rows}, {}, {}, {}};
  for (std::int32_t r = 0; r < rows; ++r) {
    const std::vector<float> out = outputs_of(e, x.floats.data() + r * e.features);
    y.floats.insert(y.floats.end(), out.begin(), out.end());
    label.ints.push_back(10 + (std::max_element(out.begin(), out.end()) - out.begin()));
    transform(post, y.floats.data() + r * e.targets, e.targets);
  }
  model.add_text(std::string(which == 0   ? "TreeEnsemble"
                             : which == 1 ? "Regressor"
                                          : "Classifier") +
                 " " + std::to_string(e.nodes.size()) + " nodes, " + std::to_string(trees) + " trees, " + post);
  const double tolerance = post == "NONE" ? 0 : 1e-5;
  const std::string in = model.input(x);
  if (which == 0) return set_nodes(model.node("TreeEnsemble", {in}, {model.output(y)}, "ai.onnx.ml"), e);
  if (which == 1) {
    auto& node = model.node("TreeEnsembleRegressor", {in}, {model.output(y, tolerance)}, "ai.onnx.ml");
    set(node, "post_transform", post.c_str());
    set(node, "n_targets", e.targets);
    return set_model(node, e, "target_");
  }
  const std::string labels = model.output(label);
  auto& node = model.node("TreeEnsembleClassifier", {in}, {labels, model.output(y, tolerance)}, "ai.onnx.ml");
  set(node, "post_transform", post.c_str());
  Integers names;
  for (std::int64_t c = 0; c < e.targets; ++c) names.push_back(10 + c);
  set(node, "classlabels_int64s", names);
  set_model(node, e, "class_");
}

}  // namespace byoc::test
