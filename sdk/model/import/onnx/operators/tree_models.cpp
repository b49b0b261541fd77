// ai.onnx.ml.TreeEnsembleRegressor and TreeEnsembleClassifier (1, 3): nodes are named by a tree and a number, and a
// node that is a leaf may have a weight for several targets.
#include <algorithm>
#include <array>

#include "sdk/model/import/onnx/operators/scores.hpp"
#include "sdk/model/import/onnx/operators/tree_tables.hpp"

namespace byoc::onnx_import {
namespace {

// The operators name their attributes target_... and class_....
class TreeModel {
  using Integers = std::vector<std::int64_t>;
  using Reals = std::vector<double>;

 public:
  TreeModel(Normaliser& e, const ir::Node& node)
      : e_(e), c_(e, node), node_(node), prefix_(node.op == "TreeEnsembleClassifier" ? "class_" : "target_") {}

  Result<void> expand() {
    if (prefix_ == "class_") {
      const auto labels = class_labels(c_, node_, "classlabels_int64s");
      if (!labels) return failure;
      labels_ = *labels;
    }
    trees_.width = labels_ ? static_cast<std::int64_t>(labels_->count) : node_.integer("n_targets", 1);
    if (!read_type() || !read_nodes() || !read_leaves() || !check_classes()) return failure;
    static const std::map<std::string, const char*, std::less<>> kAggregates = {
        {"AVERAGE", "average"}, {"MAX", "max"}, {"MIN", "min"}, {"SUM", "sum"}};
    const auto aggregate = kAggregates.find(node_.text("aggregate_function", "SUM"));
    if (aggregate == kAggregates.end())
      return c_.refuse("aggregate_function is unknown", node_.text("aggregate_function", ""),
                       "SUM, AVERAGE, MIN or MAX");
    trees_.aggregate = aggregate->second;
    // Integers are compared as float32.
    const ir::ValueId x = trees_.dtype == dtype_ ? c_.in(0) : c_.op("CastLike", {c_.in(0), c_.real(0)});
    const auto sum = emit_trees(e_, c_, node_, trees_, x);
    if (!sum) return failure;
    return give(*sum);
  }

 private:
  Result<void> read_type() {
    dtype_ = c_.dtype(c_.in(0));
    if (dtype_ == DType::undefined)
      return c_.refuse("the element type of the input is not stated", {}, "a value_info for it");
    trees_.dtype = dtype_ == DType::f64 ? DType::f64 : DType::f32;
    return {};
  }

  // An attribute of floats, or its twin that is a tensor.
  Result<Reals> reals(const std::string& name) {
    if (const auto* given = node_.find<std::vector<float>>(name)) return Reals(given->begin(), given->end());
    return tensor_numbers(c_, node_, (name + "_as_tensor").c_str());
  }

  Result<void> read_nodes() {
    static constexpr std::array<std::string_view, 6> kModes = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                                               "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
    const Integers tree = node_.integers("nodes_treeids", {}), id = node_.integers("nodes_nodeids", {});
    const Integers features = node_.integers("nodes_featureids", {});
    const Integers child[2] = {node_.integers("nodes_truenodeids", {}), node_.integers("nodes_falsenodeids", {})};
    const Integers nan = node_.integers("nodes_missing_value_tracks_true", Integers(id.size(), 0));
    const auto* modes = node_.find<std::vector<std::string>>("nodes_modes");
    const auto splits = reals("nodes_values");
    if (!splits) return failure;
    const std::size_t n = id.size();
    if (modes == nullptr || modes->size() != n || tree.size() != n || features.size() != n || child[0].size() != n ||
        child[1].size() != n || nan.size() != n || splits->size() != n)
      return c_.refuse("the tables of the nodes have different lengths");
    std::vector<bool> is_child(n);
    for (std::size_t i = 0; i < n; ++i) {
      const bool leaf = (*modes)[i] == "LEAF";
      if (!places_.try_emplace({tree[i], id[i]}, leaf ? leaves_ : std::ssize(trees_.splits), leaf, i).second)
        return c_.refuse("a node is there twice", std::to_string(id[i]));
      if (leaf) ++leaves_;
      if (leaf) continue;
      const auto mode = std::find(kModes.begin(), kModes.end(), (*modes)[i]);
      if (mode == kModes.end()) return c_.refuse("a node has an unknown mode", (*modes)[i], "BRANCH_LEQ and so on");
      trees_.splits.push_back((*splits)[i]);
      trees_.modes.push_back(mode - kModes.begin());
      trees_.features.push_back(features[i]);
      trees_.nan_is_true.push_back(nan[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if ((*modes)[i] == "LEAF") continue;
      for (const int way : {0, 1}) {
        const auto to = places_.find({tree[i], child[way][i]});
        if (to == places_.end()) return c_.refuse("there is no such node", std::to_string(child[way][i]));
        trees_.children[way].push_back(to->second.at);
        trees_.is_leaf[way].push_back(to->second.is_leaf ? 1 : 0);
        is_child[to->second.position] = true;
      }
    }
    for (const auto& [name, place] : places_)
      if (!is_child[place.position]) trees_.roots.emplace_back(place.at, place.is_leaf);
    return {};
  }

  Result<void> read_leaves() {
    const Integers tree = node_.integers(prefix_ + "treeids", {}), id = node_.integers(prefix_ + "nodeids", {});
    const Integers target = node_.integers(prefix_ + "ids", {});
    const auto weights = reals(prefix_ + "weights");
    if (!weights) return failure;
    if (tree.size() != id.size() || target.size() != id.size() || weights->size() != id.size())
      return c_.refuse("the tables of the leaves have different lengths");
    std::vector<std::vector<std::size_t>> of(static_cast<std::size_t>(leaves_));
    for (std::size_t i = 0; i < id.size(); ++i) {
      const auto at = places_.find({tree[i], id[i]});
      if (at == places_.end()) return c_.refuse("a weight belongs to no node", std::to_string(id[i]));
      if (!at->second.is_leaf) continue;  // some converters write those of inner nodes, which count for nothing
      of[static_cast<std::size_t>(at->second.at)].push_back(i);
    }
    trees_.first = {0};
    for (const auto& entries : of) {
      for (const std::size_t i : entries) {
        trees_.targets.push_back(target[i]);
        trees_.weights.push_back((*weights)[i]);
      }
      trees_.first.push_back(std::ssize(trees_.targets));
    }
    return {};
  }

  // With two classes, trees may have weights for the first class alone. The sum s is then the score of the second
  // class: scores are 1 - s and s if no weight is negative, and -s and s if one is, as ONNX Runtime has them.
  Result<void> check_classes() {
    const auto& t = trees_.targets;
    const bool one = !t.empty() && std::all_of(t.begin(), t.end(), [&](std::int64_t v) { return v == t[0]; });
    if (!labels_ || !one) return {};
    below_ = std::any_of(trees_.weights.begin(), trees_.weights.end(), [](double w) { return w < 0; });
    if (trees_.width != 2 || t[0] != 0)
      return c_.refuse("weights of one class alone are not supported in this form",
                       "class " + std::to_string(t[0]) + " of " + std::to_string(trees_.width), "the first of two");
    is_binary_ = true;
    trees_.width = 1;
    return {};
  }

  // Scores of both classes from the sum of one, and the label.
  void give_binary(ir::ValueId s) {
    const std::string transform = post_transform_of(node_);
    const ir::ValueId second =
        c_.op("Greater", {c_.op("Squeeze", {s, c_.integers({1})}), c_.real_like(below_ ? 0 : 0.5F, s)});
    give_label(c_, *labels_, c_.cast(second, DType::i64));
    const bool logistic = transform == "LOGISTIC";
    const ir::ValueId score = logistic ? c_.op("Sigmoid", {s}) : s;
    const ir::ValueId first = below_ && !logistic ? c_.op("Neg", {s}) : c_.op("Sub", {c_.real_like(1, s), score});
    c_.give(1, "CastLike", {c_.op("Concat", {first, score}, {{"axis", std::int64_t{1}}}), c_.real(0)});
  }

  Result<void> give(ir::ValueId sum) {
    const auto base = reals("base_values");
    if (!base) return failure;
    if (!base->empty() && std::ssize(*base) != trees_.width)
      return c_.refuse("base_values has the wrong length", std::to_string(base->size()), std::to_string(trees_.width));
    if (!base->empty()) sum = c_.op("Add", {sum, c_.op("CastLike", {c_.reals({base->begin(), base->end()}), sum})});
    if (is_binary_) {
      give_binary(sum);
      return {};
    }
    if (labels_) give_label(c_, *labels_, largest(c_, sum));
    const auto scores = post_transformed(c_, post_transform_of(node_), sum);
    if (!scores) return failure;
    c_.give(labels_ ? 1 : 0, "CastLike", {*scores, c_.real(0)});
    return {};
  }

  struct Place {
    std::int64_t at;
    bool is_leaf;
    std::size_t position;
    Place(std::int64_t where, bool leaf, std::size_t index) : at(where), is_leaf(leaf), position(index) {}
  };
  Normaliser& e_;
  Composition c_;
  const ir::Node& node_;
  const std::string prefix_;
  DType dtype_ = DType::undefined;
  std::optional<ClassLabels> labels_;  // of a classifier
  bool is_binary_ = false;             // one sum for two classes
  bool below_ = false;                 // some of its weights are below 0
  TreeSource trees_;
  std::map<std::pair<std::int64_t, std::int64_t>, Place> places_;
  std::int64_t leaves_ = 0;
};

}  // namespace

Result<void> normalise_tree_model(Normaliser& e, ir::Node node) { return TreeModel(e, node).expand(); }

}  // namespace byoc::onnx_import
