// Decision trees as ai.onnx.ml's operators state them, on their way to byoc.TreeEnsemble.
#pragma once

#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

// Comparison modes of a node: those of byoc.TreeEnsemble, and membership in a set.
inline constexpr std::int64_t kTreeEqual = 4, kTreeMember = 6, kTreeNanIsTrue = 8;

struct TreeSource {
  using Integers = std::vector<std::int64_t>;

  // Columns with one entry per node. A child is a node, or a leaf where is_leaf says so.
  std::vector<double> splits;
  Integers modes, features, children[2], is_leaf[2], nan_is_true;
  std::vector<std::vector<double>> members;  // of nodes that ask for a set; empty where none does
  // Leaf l gives weights[e] to targets[e], e from first[l] up to first[l + 1].
  Integers first, targets;
  std::vector<double> weights;
  std::vector<std::pair<std::int64_t, bool>> roots;  // and whether it is a leaf

  std::int64_t width = 1;  // number of targets
  std::string aggregate = "sum";
  DType dtype = DType::f32;  // of elements, splits and weights

  [[nodiscard]] std::size_t nodes() const { return splits.size(); }
};

// Emits the operator on `x`. Refused: children that are not there, circles, targets out of range.
Result<Composition::Value> emit_trees(Normaliser&, Composition&, const ir::Node&, const TreeSource&,
                                      Composition::Value x);

// The numbers of a tensor attribute, f32, f64 or u8; none where it is not given.
Result<std::vector<double>> tensor_numbers(Composition&, const ir::Node&, const char* attribute);

}  // namespace byoc::onnx_import
