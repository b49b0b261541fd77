#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

// ai.onnx.ml.ArrayFeatureExtractor: columns of the last axis, in the order of the indices. A vector is one row.
Result<void> normalise_array_feature_extractor(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto indices = c.op("Reshape", {c.in(1), c.integers({-1})});
  const auto rank = c.rank_of_input(0);
  if (!rank) return failure;
  const auto index = c.rank(c.in(1));
  if (index && c.known_dim(c.in(1), *index == 0 ? 0 : *index - 1) == 0)
    return c.refuse("there are no indices", "0", "at least 1");
  const auto x = *rank == 1 ? c.op("Unsqueeze", {c.in(0), c.integers({0})}) : c.in(0);
  c.give(0, "Gather", {x, indices}, {{"axis", std::int64_t{-1}}});
  return {};
}

}  // namespace byoc::onnx_import
